"""Reading tables without Spark."""

from __future__ import annotations

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
