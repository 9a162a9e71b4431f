"""Every statement of the cookbook gives the answer that stands below it, with both engines."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from console.answers.sql import query_duckdb, query_spark
from tests.docs.cookbook import PAGE, Question, printed, questions

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ALL = questions(PAGE.read_text(encoding="utf-8"))


def test_the_page_has_its_questions() -> None:
    assert len(ALL) >= 15
    assert PAGE.read_text(encoding="utf-8").count("```sql") == len(ALL)


@pytest.mark.parametrize("question", ALL, ids=lambda one: one.heading)
def test_duckdb_gives_the_answer_of_the_page(question: Question, shop: str) -> None:
    assert printed(query_duckdb(shop, question.sql)) == question.answer


@pytest.mark.spark
def test_spark_gives_the_same_answers(spark: SparkSession, shop: str) -> None:
    for question in ALL:
        found = printed(query_spark(spark, shop, question.sql))
        assert found == question.answer, question.heading
