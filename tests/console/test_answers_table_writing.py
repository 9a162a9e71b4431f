"""Tables of a replay are the tables of the job: same columns, each row once."""

from __future__ import annotations

from pathlib import Path

import pytest
from deltalake import DeltaTable

from console.answers.table_writing import TableWriter, rows_of
from console.errors import UsageError
from sinks.tables import DELIVERIES, MEMBERSHIP, QUARANTINE, TABLES, WAITS
from tests.console.shop import replay_shop


def test_every_table_is_there_with_its_columns(shop: str) -> None:
    for table in (DELIVERIES, QUARANTINE, WAITS, MEMBERSHIP):
        schema = DeltaTable(table.path(shop)).schema()
        assert [field.name for field in schema.fields] == [one.name for one in table.columns]
    assert {DELIVERIES, QUARANTINE, WAITS, MEMBERSHIP} <= set(TABLES)


def test_a_row_stands_for_each_record() -> None:
    records = [record for part in replay_shop()[1] for record in part.ordered]
    rows = rows_of(DELIVERIES, records)
    assert rows.column("ordinal").to_pylist() == list(range(1, 9))


def test_a_folder_that_has_something_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x").touch()
    with pytest.raises(UsageError, match="is not empty"):
        TableWriter(tmp_path)
