"""The past comes in the order of the log, window by window, whatever the files look like."""

from __future__ import annotations

from pathlib import Path

import pytest
from deltalake import DeltaTable, write_deltalake

from sinks import consumer_history
from sinks.consumer_history import COLUMNS, Extent, History
from sinks.tables import DELIVERIES
from tests.sinks.ordered_topics import write_table


def test_rows_come_by_ordinal_from_files_in_any_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(consumer_history, "WINDOW", 7)
    for numbers in (range(40, 61), range(1, 20), range(20, 40)):
        write_table(str(tmp_path), reversed(numbers))
    write_table(str(tmp_path), range(5, 9), partition=1)
    history = History(str(tmp_path), groups=None)
    assert history.extents() == {0: Extent(1, 60), 1: Extent(5, 8)}
    assert [row.ordinal for row in history.read(0, first=3, last=58)] == list(range(3, 59))
    assert [row.ordinal for row in history.read(1, first=1, last=9)] == [5, 6, 7, 8]


def test_a_table_of_another_release_with_other_columns_is_read(tmp_path: Path) -> None:
    write_table(str(tmp_path), [1])
    path = DELIVERIES.path(str(tmp_path))
    rows = DeltaTable(path).to_pyarrow_table()
    kept = rows.select([name for name in rows.column_names if name in COLUMNS])
    changed = kept.append_column("a_later_column", [["x"] * kept.num_rows])
    write_deltalake(path, changed, mode="overwrite", schema_mode="overwrite")
    (row,) = History(str(tmp_path), groups=None).read(0, first=1, last=1)
    assert row.maybe_delivery is not None
    assert row.maybe_delivery.text == "g 1"


def test_a_filter_leaves_the_numbers_of_other_groups(tmp_path: Path) -> None:
    write_table(str(tmp_path), [1, 2], group="other")
    write_table(str(tmp_path), [3], group="wanted")
    rows = list(History(str(tmp_path), groups=("wanted",)).read(0, first=1, last=3))
    assert [(row.ordinal, row.maybe_delivery is not None) for row in rows] == [
        (1, False),
        (2, False),
        (3, True),
    ]


def test_a_table_that_is_compacted_and_cleaned_while_it_is_read_is_read_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(consumer_history, "WINDOW", 10)
    for first in range(1, 51, 5):
        write_table(str(tmp_path), range(first, first + 5))
    rows = History(str(tmp_path), groups=None).read(0, first=1, last=50)
    read = [next(rows).ordinal]
    table = DeltaTable(DELIVERIES.path(str(tmp_path)))
    table.optimize.compact()
    table.vacuum(retention_hours=0, enforce_retention_duration=False, dry_run=False)
    assert read + [row.ordinal for row in rows] == list(range(1, 51))
