"""Snapshots of RocksDB without RocksDB: one that Spark wrote, and made ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from console.answers.sorted_tables import newest_values, writes_of
from tests.console.rocksdb_files import sorted_table, write_snapshot
from tests.tidy.repository import ROOT

REAL = ROOT / "tests" / "data" / "rocksdb" / "state-of-spark-4.2.txt"


def test_a_table_that_spark_wrote_has_one_state_in_it() -> None:
    (write,) = writes_of(bytes.fromhex(REAL.read_text(encoding="ascii")))
    assert len(write.key) == 17
    assert write.maybe_value is not None
    assert b"group-5" in write.maybe_value


def test_the_newest_write_of_a_key_counts_whichever_table_has_it(tmp_path: Path) -> None:
    newer = sorted_table([(b"a", 9, b"new"), (b"b", 8, None), (b"c", 7, b"x" * 300)])
    older = sorted_table([(b"a", 1, b"old"), (b"b", 2, b"gone")])
    write_snapshot(tmp_path, 3, [newer, older])
    assert newest_values(tmp_path, 3) == {b"a": b"new", b"c": b"x" * 300}
    write_snapshot(tmp_path, 4, [older, newer])
    assert newest_values(tmp_path, 4) == newest_values(tmp_path, 3)


def test_no_damaged_table_is_taken_for_a_whole_one() -> None:
    whole = bytes.fromhex(REAL.read_text(encoding="ascii"))
    for wrong in (whole[:-1], b"", whole[200:], b"\0" * 60):
        with pytest.raises((ValueError, IndexError)):
            list(writes_of(wrong))
