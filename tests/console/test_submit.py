"""What spark-submit starts has Spark's own master; `soak cluster` runs it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from console import submit
from console.command import hoist_global_options


def test_the_master_of_the_submission_counts_whatever_else_is_said() -> None:
    given = ["run", "--set", "job.spark_master=local[2]", "--once"]
    hoisted = hoist_global_options(submit.with_master(given, master="spark://host:7077"))
    assert hoisted[-2:] == ["run", "--once"]
    assert hoisted[:4] == ["--set", "job.spark_master=local[2]",
                           "--set", "job.spark_master=spark://host:7077"]  # fmt: skip


def test_without_spark_submit_it_says_what_to_type() -> None:
    done = subprocess.run(
        [sys.executable, str(Path(submit.__file__)), "run"],
        capture_output=True,
        text=True,
        check=False,
        env={"PATH": "/usr/bin:/bin"},
    )
    assert done.returncode == 1
    assert "precede run" in done.stderr
