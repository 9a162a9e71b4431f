"""Tables can be made anew from the log; what differs is told, and the job goes on after it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from console.verification_sources import newest_counters, verify_sources
from deploy.local.broker import Broker
from sinks.table_reader import read_rows
from sinks.tables import DELIVERIES, TABLES
from streaming.job import Job
from streaming.rebuilding import compare, rebuilt_tables, switch
from tests.conversations import shuffled_conversation
from tests.streaming.test_job import FAR_AHEAD, job_settings, policies
from tests.table_tools import remove_a_file
from tests.topic_tools import new_topics, produce, produce_ticks

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.spark, pytest.mark.broker]


def test_damaged_tables_are_found_and_made_anew_and_the_job_goes_on(
    spark: SparkSession, broker: Broker, tmp_path: Path
) -> None:
    kafka = new_topics(broker.bootstrap)
    settings = job_settings(tmp_path)
    tables = settings.tables_directory
    log = shuffled_conversation(seed=51, groups=4, messages=500)
    produce(kafka, log[:200])
    produce_ticks(kafka, at=FAR_AHEAD)
    produce(kafka, log[200:400])
    Job(spark, kafka=kafka, settings=settings, policies=policies()).drain()

    def rebuilt() -> dict[str, tuple[int, int, int]]:
        counters = newest_counters(kafka)
        with rebuilt_tables(
            spark, tables, kafka=kafka, policies=policies(), counters=counters
        ) as beside:
            assert verify_sources(kafka, beside).ok
            found = compare(spark, tables, beside)
            switch(spark, tables, beside)
        assert not Path(beside).exists()
        return {one.table: one[2:5] for one in found}

    assert rebuilt() == {table.name: (0, 0, 0) for table in TABLES}
    path = DELIVERIES.path(tables)
    spark.sql(f"DELETE FROM delta.`{path}` WHERE ordinal = 3")
    spark.sql(f"UPDATE delta.`{path}` SET sender = 'mallory#1' WHERE ordinal = 5")
    spark.sql(f"INSERT INTO delta.`{path}` SELECT * FROM delta.`{path}` WHERE ordinal = 7")
    assert not verify_sources(kafka, tables).ok
    found = rebuilt()
    assert all(found[table.name] == (0, 0, 0) for table in TABLES[1:])
    missing, foreign, different = found[DELIVERIES.name]
    assert missing > 0
    assert foreign > 0
    assert different > 0
    assert verify_sources(kafka, tables).ok

    produce(kafka, log[400:])
    Job(spark, kafka=kafka, settings=settings, policies=policies()).drain()
    report = verify_sources(kafka, tables)
    assert report.ok, report.examples
    rows = list(read_rows(tables, DELIVERIES, columns=("raw_partition", "ordinal")))
    assert len(rows) == len(set(rows)) == report.counts["delivered"]


def test_a_table_whose_file_is_gone_is_made_anew(
    spark: SparkSession, broker: Broker, tmp_path: Path
) -> None:
    kafka = new_topics(broker.bootstrap)
    settings = job_settings(tmp_path)
    produce(kafka, shuffled_conversation(seed=52, groups=2, messages=100))
    Job(spark, kafka=kafka, settings=settings, policies=policies()).drain()
    remove_a_file(settings.tables_directory, DELIVERIES)
    with rebuilt_tables(
        spark,
        settings.tables_directory,
        kafka=kafka,
        policies=policies(),
        counters=newest_counters(kafka),
    ) as beside:
        found = compare(spark, settings.tables_directory, beside)
        assert found[0].trouble
        assert not found[0].is_none
        switch(spark, settings.tables_directory, beside)
    assert verify_sources(kafka, settings.tables_directory).ok
