"""Reading tables without Spark."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pytest
from deltalake import write_deltalake

from sinks.errors import DestinationError
from sinks.table_reader import read_rows
from sinks.tables import QUARANTINE


def test_the_named_columns_come_in_the_order_asked_for(tmp_path: Path) -> None:
    rows = pa.table({"ordinal": [1, 2], "reason": ["cycle", "not_ours"], "raw_partition": [0, 1]})
    write_deltalake(QUARANTINE.path(str(tmp_path)), rows)
    read = read_rows(str(tmp_path), QUARANTINE, columns=("raw_partition", "ordinal"))
    assert sorted(read) == [(0, 1), (1, 2)]


def test_a_table_that_is_not_there_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(DestinationError, match="there is no Delta table"):
        list(read_rows(str(tmp_path), QUARANTINE, columns=("ordinal",)))


ENDS_AT_ONCE = """
import os, sys
import deltalake, pyarrow.dataset, pyarrow.fs
from sinks.table_reader import read_rows
from sinks.tables import QUARANTINE

for _ in range(40):
    child = os.fork()
    if child == 0:
        break
    if os.waitpid(child, 0)[1]:
        sys.exit("a program that had read a table did not end well")
if child == 0:
    list(read_rows(sys.argv[1], QUARANTINE, columns=("ordinal",)))
"""


def test_a_program_that_ends_at_once_after_reading_ends_well(tmp_path: Path) -> None:
    write_deltalake(QUARANTINE.path(str(tmp_path)), pa.table({"ordinal": [1, 2]}))
    done = subprocess.run(
        [sys.executable, "-c", ENDS_AT_ONCE, str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
