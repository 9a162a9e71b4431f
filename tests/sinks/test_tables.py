"""The tables' definitions (their writes are tested with the history query)."""

from __future__ import annotations

from sinks.tables import DELIVERIES, TABLES


def test_a_table_lives_under_its_folder_whatever_the_folder_ends_in() -> None:
    assert DELIVERIES.path("/data") == DELIVERIES.path("/data/") == "/data/deliveries"
    assert DELIVERIES.path("s3a://bucket/x") == "s3a://bucket/x/deliveries"


def test_every_column_says_what_it_means() -> None:
    for table in TABLES:
        assert table.meaning
        assert all(column.meaning for column in table.columns)


def test_every_table_can_drop_repeats() -> None:
    for table in TABLES:
        assert {"raw_partition", "ordinal"} <= {column.name for column in table.columns}
