"""A text comes from the workers to the driver."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from streaming.first_text import first_text

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.mark.spark
def test_the_workers_text_reaches_the_driver_and_there_is_one(spark: SparkSession) -> None:
    place = first_text(spark)
    assert place.value == ""

    def tell(number: int) -> None:
        if number % 2:
            place.add("odd")

    spark.sparkContext.parallelize(range(8), 2).foreach(tell)
    assert place.value == "odd"
