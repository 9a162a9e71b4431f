"""`precede sql`: a question, or the statements that name tables and views."""

from __future__ import annotations

import json

import pytest

from tests.console.shop import precede


def test_a_question_is_answered_as_a_table_or_as_json(
    shop: str, capsys: pytest.CaptureFixture[str]
) -> None:
    question = "SELECT `group`, held FROM groups ORDER BY held"
    said = precede(capsys, "sql", question, "--tables", shop)
    assert said.lines == ["group    held", "kitchen  0", "shop     3"]
    said = precede(capsys, "sql", question, "--tables", shop, "--output", "jsonl")
    assert [json.loads(line)["held"] for line in said.lines] == [0, 3]


def test_a_wrong_question_is_exit_code_2(shop: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert precede(capsys, "sql", "SELEC", "--tables", shop).code == 2


def test_statements_for_spark_make_no_table_where_there_is_none(
    capsys: pytest.CaptureFixture[str],
) -> None:
    for options in ([], ["--permanent"]):
        said = precede(capsys, "sql", "--tables", "s3a://data/tables", *options)
        assert "delta.`s3a://data/tables/deliveries`;" in said.out
        assert "CREATE TABLE" not in said.out
        assert ("TEMPORARY" in said.out) == (not options)


def test_the_properties_let_spark_read_delta(capsys: pytest.CaptureFixture[str]) -> None:
    said = precede(capsys, "sql", "--properties")
    assert "spark.sql.extensions=io.delta.sql.DeltaSparkSessionExtension" in said.lines
    cluster = precede(capsys, "sql", "--properties", "--set", "job.spark_master=spark://host:7077")
    assert any(line.startswith("spark.jars=/") for line in said.lines)
    assert not any(line.startswith("spark.jars=") for line in cluster.lines)


@pytest.mark.parametrize("option", ["--permanent", "--properties"])
def test_what_is_for_spark_sql_takes_no_question(
    option: str, capsys: pytest.CaptureFixture[str]
) -> None:
    said = precede(capsys, "sql", "SELECT 1", option)
    assert said.code == 2
    assert "for spark-sql" in said.progress
