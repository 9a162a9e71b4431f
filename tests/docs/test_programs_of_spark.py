"""The programs of the pages that need a session of Spark."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from sinks.views import create_views
from tests.docs.code_blocks import blocks
from tests.tidy.repository import ROOT

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

QUESTION = re.compile(r'^session\.sql\(\s*"(.*?)"\s*\)\.show\(\)$', re.MULTILINE)


@pytest.mark.spark
def test_every_question_that_a_page_asks_of_a_session_has_an_answer(
    spark: SparkSession, shop: str
) -> None:
    create_views(spark, shop)
    asked = 0
    for block in blocks():
        if block.language != "python" or "session.sql(" not in block.text:
            continue
        questions = QUESTION.findall(block.text)
        assert len(questions) == block.text.count("session.sql("), block.place
        assert "create_views(session, " in block.text
        for question in questions:
            assert spark.sql(question).collect(), block.place
            asked += 1
    assert asked >= 3
    assert (ROOT / "docs" / "sql.md").is_file()
