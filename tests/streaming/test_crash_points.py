"""A planted crash happens where and when it was asked for."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

from streaming.crash_points import VARIABLE, CrashPoint, pass_crash_point

PASS_TWICE = (
    "from streaming.crash_points import *;"
    "pass_crash_point(CrashPoint.AFTER_DELTA_COMMIT); print('once', flush=True);"
    "pass_crash_point(CrashPoint.AFTER_DELTA_COMMIT); print('twice', flush=True)"
)


@pytest.mark.parametrize(
    ("planted", "printed"),
    [("after-delta-commit:2", "once"), ("after-delta-commit", ""), ("other:1", "once twice")],
)
def test_the_process_dies_at_the_named_passing(planted: str, printed: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PASS_TWICE],
        env=os.environ | {VARIABLE: planted},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.split() == printed.split()
    assert done.returncode == (0 if "twice" in printed else -signal.SIGKILL)


def test_nothing_happens_without_the_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    pass_crash_point(CrashPoint.AFTER_DELTA_COMMIT)
