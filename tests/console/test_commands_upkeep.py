"""`precede upkeep` as an operator meets it.

What it does to tables is in `tests/sinks/test_upkeep.py`, what a kill leaves of it in
`tests/end_to_end/test_upkeep.py`.
"""

from __future__ import annotations

import io
import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from console.commands.upkeep import show, size_text
from console.terminal import OutputFormat, terminal_for
from sinks.table_reader import open_dataset, read_rows
from sinks.tables import DELIVERIES, create_tables
from sinks.upkeep import TableState, Upkeep
from tests.console.pseudo_terminal import PseudoTerminal
from tests.console.shop import precede
from tests.sinks.test_upkeep import Writer, delivery

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

DONE = [
    Upkeep("deliveries", TableState(40, 5 << 20), TableState(2, 4 << 20), 0, 7),
    Upkeep("quarantine", TableState(1, 0), TableState(1, 0), 12, 0),
]


def shown(output: OutputFormat, *, is_applied: bool) -> tuple[str, str]:
    out, progress = io.StringIO(), io.StringIO()
    show(DONE, terminal_for(out, progress, {}), output, is_applied=is_applied)
    return out.getvalue(), progress.getvalue()


def test_a_person_sees_a_line_for_each_table() -> None:
    out, progress = shown(OutputFormat.TABLE, is_applied=True)
    lines = out.splitlines()
    assert lines[0].split() == ["table", "files", "size", "expired", "rows", "removed", "files"]
    assert lines[1].split() == ["deliveries", "40", "->", "2", "4.0", "MiB", "0", "7"]
    assert not progress


def test_a_dry_run_says_that_nothing_was_changed() -> None:
    out, progress = shown(OutputFormat.TABLE, is_applied=False)
    assert out.splitlines()[2].split() == ["quarantine", "1", "0", "B", "12", "0"]
    assert progress.startswith("nothing was changed; --apply does it")


@pytest.mark.parametrize("is_applied", [True, False])
def test_a_machine_gets_one_object(is_applied: bool) -> None:
    found = json.loads(shown(OutputFormat.JSON, is_applied=is_applied)[0])
    assert found["applied"] is is_applied
    assert found["tables"][0]["before"] == {"files": 40, "bytes": 5 << 20}
    assert found["tables"][1]["expired_rows"] == 12


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (0, "0 B"),
        (1_023, "1023 B"),
        (1_536, "1.5 KiB"),
        (3 << 20, "3.0 MiB"),
        (5 << 50, "5120.0 TiB"),
    ],
)
def test_a_size_is_told_in_a_unit_that_fits(size: int, text: str) -> None:
    assert size_text(size) == text


def test_a_folder_without_tables_is_told_before_spark_is_started(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = precede(capsys, "upkeep", "--set", f"job.tables_directory={tmp_path}")
    assert said.code == 3
    assert f"there is no Delta table at {tmp_path}/deliveries" in said.progress
    assert "Spark" not in said.progress


def made_of_three(spark: SparkSession, directory: Path) -> list[str]:
    """Tables as the job makes them, with three small files; gives the flags that name them."""
    create_tables(spark, str(directory))
    writer = Writer(spark, directory)
    for first in (1, 3, 5):
        writer.write(delivery(first), delivery(first + 1))
    scratch = directory.with_name("scratch")
    return [
        *("--set", f"job.tables_directory={directory}"),
        *("--set", f"job.scratch_directory={scratch}"),
    ]


def facts(directory: Path) -> tuple[int, list[int]]:
    ordinals = sorted(row[0] for row in read_rows(str(directory), DELIVERIES, columns=("ordinal",)))
    return len(open_dataset(str(directory), DELIVERIES).files), ordinals


@pytest.mark.spark
def test_the_command_changes_nothing_until_it_is_told_to(
    spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tables = tmp_path / "tables"
    flags = made_of_three(spark, tables)
    dry = precede(capsys, "upkeep", *flags, "--output", "json")
    assert dry.code == 0, dry.progress
    found = json.loads(dry.out)
    assert (found["ok"], found["applied"]) == (True, False)
    assert found["tables"][0]["before"] == found["tables"][0]["after"]
    many, ordinals = facts(tables)
    assert many >= 3
    done = precede(capsys, "upkeep", "--apply", *flags)
    assert done.code == 0, done.progress
    assert done.lines[1].startswith(f"deliveries  {many} -> 1")
    assert facts(tables) == (1, ordinals)
    assert "keeping up deliveries: done" in done.progress


@pytest.mark.spark
def test_a_person_at_a_terminal_sees_what_happens_and_nothing_of_spark(
    spark: SparkSession, tmp_path: Path
) -> None:
    tables = tmp_path / "tables"
    flags = made_of_three(spark, tables)
    many, ordinals = facts(tables)
    command = [sys.executable, "-m", "console", "upkeep", "--apply", *flags]
    with PseudoTerminal(command, environment=dict(os.environ)) as terminal:
        for words in ("starting Spark", "keeping up deliveries", "keeping up waits"):
            terminal.wait_for(f"{words}: done in")
        terminal.wait_for("membership  0 -> 0")
        assert terminal.end() == 0
        assert f"deliveries  {many} -> 1" in terminal.text
        for words in ("WARN", "INFO", "Exception", "log4j", "Picked up"):
            assert words not in terminal.text
    assert facts(tables) == (1, ordinals)
