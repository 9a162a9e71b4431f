"""States from Spark's changelogs; `test_commands_inspect` reads those of a real job."""

from __future__ import annotations

import re
import struct
from pathlib import Path

import lz4.block
import pytest

from console.answers.changelog import read_states, states_of_task
from console.errors import OperatorError
from ordering_udfs.shard_state import ShardState, encode_state
from tests.console.rocksdb_files import sorted_table, write_snapshot
from tests.tidy.repository import ROOT

REAL = ROOT / "tests" / "data" / "snapshots" / "state-of-spark-4.2.txt"


def row(content: bytes) -> bytes:
    """A row of Spark with one field of variable size."""
    padded = content + b"\0" * (-len(content) % 8)
    return b"\0" * 8 + struct.pack("<II", len(content), 16) + padded


def changelog(*states: ShardState, is_raw: bool = False, before: bytes = b"") -> bytes:
    """A file of Spark's; RocksDB's values have a byte `before` them."""
    rows = b""
    for state in states:
        value = before + row(row(encode_state(state)))
        rows += struct.pack(">i", 17) + b"\0" * 17 + struct.pack(">i", len(value)) + value
    rows += struct.pack(">i", -1)
    packed = rows if is_raw else lz4.block.compress(rows, store_size=False)
    token = 0x15 if is_raw else 0x25
    head = struct.pack("<8sBIII", b"LZ4Block", token, len(packed), len(rows), 0)
    return head + packed


def test_the_newest_state_of_each_partition_counts(tmp_path: Path) -> None:
    files = {
        1: [ShardState(0, captured=1), ShardState(2, captured=1)],
        2: [ShardState(0, captured=2)],
        9: [],
        10: [ShardState(0, captured=10)],
    }
    for version, states in files.items():
        (tmp_path / f"{version}.delta").write_bytes(changelog(*states, is_raw=version == 2))
    (tmp_path / "notes.txt").touch()
    found = states_of_task(tmp_path, newest_version=9)
    assert {number: state.captured for number, state in found.items()} == {0: 2, 2: 1}


def assert_the_snapshot_counts(snapshot: Path) -> None:
    """Its own partition 2, and not 0, which came again; and it is missed when it is damaged."""
    found = states_of_task(snapshot.parent, newest_version=6)
    assert {number: state.captured for number, state in found.items()} == {0: 6, 2: 2}
    snapshot.write_bytes(b"no snapshot")
    with pytest.raises(OperatorError, match=rf"{re.escape(snapshot.name)} is not laid out"):
        states_of_task(snapshot.parent, newest_version=6)


def test_what_no_changelog_has_any_more_is_in_the_last_snapshot(tmp_path: Path) -> None:
    old = (ShardState(0, captured=1), ShardState(2, captured=2))
    (tmp_path / "5.snapshot").write_bytes(changelog(*old))
    (tmp_path / "5.delta").write_bytes(changelog(ShardState(0, captured=1)))
    (tmp_path / "6.delta").write_bytes(changelog(ShardState(0, captured=6)))
    (tmp_path / "4.delta").write_bytes(changelog(ShardState(0, captured=999)))
    assert_the_snapshot_counts(tmp_path / "5.snapshot")


def test_a_checkpoint_of_an_earlier_release_is_in_rocksdb(tmp_path: Path) -> None:
    def value(state: ShardState) -> bytes:
        return b"\0" + row(row(encode_state(state)))

    old_state = ShardState(0, captured=1)
    old = [(b"0", 1, value(old_state)), (b"2", 2, value(ShardState(2, captured=2)))]
    write_snapshot(tmp_path, 5, [sorted_table(old)])
    (tmp_path / "5.changelog").write_bytes(changelog(old_state, before=b"\0"))
    (tmp_path / "6.changelog").write_bytes(changelog(ShardState(0, captured=6), before=b"\0"))
    assert_the_snapshot_counts(tmp_path / "5.zip")


def test_a_snapshot_that_spark_wrote_has_one_state_in_it(tmp_path: Path) -> None:
    path = tmp_path / "6.snapshot"
    path.write_bytes(bytes.fromhex(REAL.read_text(encoding="ascii")))
    (state,) = read_states(path)
    assert (state.partition, state.through_offset + 1) == (1, state.captured)
    assert set(state.groups) == {"group-0", "group-1", "group-2", "group-4"}


@pytest.mark.parametrize("kind", ["delta", "snapshot", "changelog"])
def test_other_bytes_are_said_with_the_file(kind: str, tmp_path: Path) -> None:
    whole = changelog(ShardState(0))
    for wrong in (b"PK\x03\x04" + whole, whole[:-3], b"\0" * 40):
        path = tmp_path / f"1.{kind}"
        path.write_bytes(wrong)
        with pytest.raises(OperatorError, match=rf"1\.{kind} is not laid out"):
            read_states(path)
