"""The session that every Spark test shares is the job's own."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import pytest

from streaming.session import APPLICATION_NAME, with_retries

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark


def test_workers_run_this_interpreter(spark: SparkSession) -> None:
    assert spark.sparkContext.appName == APPLICATION_NAME
    assert os.environ["PYSPARK_PYTHON"] == sys.executable


def test_state_is_kept_in_memory_and_files_and_times_are_utc(spark: SparkSession) -> None:
    provider = spark.conf.get("spark.sql.streaming.stateStore.providerClass")
    assert str(provider).endswith("HDFSBackedStateStoreProvider")
    assert spark.conf.get("spark.sql.session.timeZone") == "UTC"


def test_delta_is_there(spark: SparkSession) -> None:
    assert "Delta" in str(spark.conf.get("spark.sql.extensions"))


@pytest.mark.parametrize(
    ("master", "used"),
    [
        ("local[2]", "local[2,4]"),
        ("local[*]", "local[*,4]"),
        ("local[2,1]", "local[2,1]"),
        ("local", "local"),
        ("spark://host:7077", "spark://host:7077"),
    ],
)
def test_a_failed_task_is_tried_again_unless_the_operator_says_otherwise(
    master: str, used: str
) -> None:
    assert with_retries(master) == used
