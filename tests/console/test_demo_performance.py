"""The demo's own sentences when a part of it fails (the whole is in `test_commands_demo`)."""

from __future__ import annotations

import sys
from pathlib import Path

from console.demo.performance import _complaint_of
from deploy.local.child import Child


def ended(tmp_path: Path, program: str) -> Child:
    child = Child([sys.executable, "-c", program], name="job", log_file=tmp_path / "job.log")
    child.wait(within_seconds=60)
    return child


def test_a_childs_own_sentence_and_exit_code_are_passed_on(tmp_path: Path) -> None:
    program = "print('precede: the disk is full'); raise SystemExit(3)"
    error = _complaint_of(ended(tmp_path, program))
    assert "the job of the demo failed: the disk is full" in str(error)
    assert error.exit_code == 3


def test_a_child_that_says_nothing_is_told_by_how_it_ended(tmp_path: Path) -> None:
    error = _complaint_of(ended(tmp_path, "import os; os.kill(os.getpid(), 9)"))
    assert "it ended with SIGKILL" in str(error)
    assert str(tmp_path / "job.log") in str(error)
    assert error.exit_code == 1
