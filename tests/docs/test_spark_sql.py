"""The real `spark-sql`, typed as docs/sql.md says: both ways to give tables and views names."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.tidy.repository import ROOT

PAGE = ROOT / "docs" / "sql.md"
TYPED = re.compile(
    r"```sh\n((?:(?!```).)*spark-sql .*?)```\nprints[^\n]*\n```text\n(.*?)```", re.DOTALL
)
# A JVM that lives for seconds is ready sooner without the second compiler.
QUICK_START = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"


@pytest.mark.spark
def test_spark_sql_answers_what_the_page_says_for_a_session_and_from_a_metastore(
    shop: str, tmp_path: Path
) -> None:
    shutil.copytree(shop, tmp_path / ".precede" / "tables")
    blocks = TYPED.findall(PAGE.read_text(encoding="utf-8"))
    assert ["--permanent" in typed for typed, _ in blocks] == [False, True]
    for typed, printed in blocks:
        done = subprocess.run(
            ["bash", "-e", "-c", typed],
            cwd=tmp_path,
            env=environment(),
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        assert done.stdout == printed


def environment() -> dict[str, str]:
    """As after `source .venv/bin/activate`."""
    return {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "SPARK_SUBMIT_OPTS": QUICK_START,
        "SPARK_LOCAL_IP": "127.0.0.1",
    }
