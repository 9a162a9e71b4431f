"""Files of a table: whole or not there, in row groups of a bounded size."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sinks import table_files
from sinks.table_files import FILE_SCHEMA, TableFile, write_file


def batches(*numbers: list[int]) -> Iterator[pa.RecordBatch]:
    for piece in numbers:
        yield pa.RecordBatch.from_arrays([pa.array(piece, pa.int64())], names=["ordinal"])


def test_rows_are_in_the_file_in_their_order_and_it_is_told_what_is_in_it(tmp_path: Path) -> None:
    rows = batches([1, 2], [], [3])
    maybe_file = write_file(rows, folder=str(tmp_path), with_bounds=("ordinal",))
    assert maybe_file is not None
    (there,) = tmp_path.iterdir()
    assert (maybe_file.name, maybe_file.size) == (there.name, there.stat().st_size)
    assert pq.read_table(there)["ordinal"].to_pylist() == [1, 2, 3]
    assert json.loads(maybe_file.bounds)["maxValues"] == {"ordinal": 3}


def test_without_rows_there_is_no_file(tmp_path: Path) -> None:
    assert write_file(batches([], []), folder=str(tmp_path), with_bounds=()) is None
    assert not list(tmp_path.iterdir())


def test_much_goes_into_several_row_groups(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table_files, "ROWS_TOGETHER", 4)
    monkeypatch.setattr(table_files, "BYTES_TOGETHER", 100)
    write_file(batches([1, 2], [3, 4], [5], list(range(50)), [6]), folder=str(tmp_path),
               with_bounds=("ordinal",))  # fmt: skip
    (there,) = tmp_path.iterdir()
    metadata = pq.read_metadata(there)
    groups = [metadata.row_group(at).num_rows for at in range(metadata.num_row_groups)]
    assert groups == [4, 51, 1]


@pytest.mark.parametrize("good", [0, 1])
def test_a_file_that_fails_is_taken_away(
    tmp_path: Path, good: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(table_files, "ROWS_TOGETHER", 1)

    def failing() -> Iterator[pa.RecordBatch]:
        yield from batches(*([1] for _ in range(good)))
        raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match="No space left"):
        write_file(failing(), folder=str(tmp_path), with_bounds=("ordinal",))
    assert not list(tmp_path.iterdir())


def test_a_table_whose_folder_is_gone_is_named(tmp_path: Path) -> None:
    gone = tmp_path / "deliveries"
    with pytest.raises(FileNotFoundError, match=r"deliveries/part-.*\.parquet"):
        write_file(batches([1]), folder=str(gone), with_bounds=())


def test_spark_is_told_the_fields_of_a_file() -> None:
    assert tuple(one.split()[0] for one in FILE_SCHEMA.split(", ")) == TableFile._fields
