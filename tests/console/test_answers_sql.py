"""The same tables and views in DuckDB and in Polars, without Spark."""

from __future__ import annotations

import importlib.util
from typing import TYPE_CHECKING

import polars
import pytest

from console.answers import sql
from console.answers.sql import Engine, chosen, for_duckdb, query_duckdb, query_spark
from console.errors import OperatorError
from sinks.tables import DELIVERIES
from sinks.views import VIEWS

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.mark.parametrize("view", VIEWS, ids=lambda view: view.name)
def test_every_view_answers_in_duckdb(view: object, shop: str) -> None:
    name = getattr(view, "name", "")
    result = query_duckdb(shop, f"SELECT * FROM {name}")
    assert result.columns[0] == "group"
    # What members told of themselves is not in the shop's log.
    assert bool(result.rows) == (name != "members")


def test_polars_reads_the_same_rows(shop: str) -> None:
    rows = polars.read_delta(DELIVERIES.path(shop))
    found = query_duckdb(shop, "SELECT id FROM deliveries ORDER BY ordinal").rows
    assert rows.sort("ordinal")["id"].to_list() == [row["id"] for row in found]


def test_a_wrong_query_names_what_there_is(shop: str) -> None:
    with pytest.raises(OperatorError, match=r"there are deliveries, .*conversation"):
        query_duckdb(shop, "SELECT * FROM nowhere")


def test_text_that_is_no_text_is_shown_all_the_same() -> None:
    assert "try(decode" in for_duckdb("SELECT CAST(said.payload AS STRING) FROM x")


def test_without_duckdb_spark_is_taken_and_the_wish_for_it_is_answered(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert chosen(Engine.AUTO) is Engine.DUCKDB
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    assert chosen(Engine.AUTO) is Engine.SPARK
    with pytest.raises(OperatorError, match="pip install duckdb"):
        chosen(Engine.DUCKDB)
    assert sql.chosen(Engine.SPARK) is Engine.SPARK


@pytest.mark.spark
def test_spark_says_a_wrong_query_in_one_sentence(spark: SparkSession, shop: str) -> None:
    with pytest.raises(OperatorError, match="cannot be run"):
        query_spark(spark, shop, "SELECT * FROM nowhere")
