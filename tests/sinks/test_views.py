"""The views answer from the tables what the engine would answer."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from sinks.tables import DELIVERIES, MEMBERSHIP, WAITS, create_tables
from sinks.views import create_views

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark


def add(spark: SparkSession, directory: str, name: str, values: str) -> None:
    spark.sql(f"INSERT INTO delta.`{directory}/{name}` VALUES {values}")


def wait(ordinal: int, offset: int, message_id: str, status: str, *, waiting_for: str = "") -> str:
    sought = f"'{waiting_for}', 'id', ''" if waiting_for else "NULL, NULL, NULL"
    at = f"timestamp_seconds({ordinal})"
    since = f"timestamp_seconds({offset})"
    return f"('g', '{message_id}', '{status}', {sought}, {at}, 0, {offset}, 0, {since}, {ordinal})"


def delivery(position: int, message_id: str, parent: str = "") -> str:
    answered = f"'{parent}'" if parent else "NULL"
    sender, seq = message_id.split(":")
    return (
        f"('g', {position}, '{message_id}', '{sender}', {seq}, {answered}, array(), X'00', NULL, "
        f"NULL, NULL, NULL, NULL, array(), NULL, 0, {position}, 0, "
        f"timestamp_seconds({position}), {position})"
    )


def told(ordinal: int, sender: str, kind: str) -> str:
    return (
        f"('g', '{kind}', '{sender}', 1, {ordinal}, NULL, NULL, NULL, NULL, NULL, 0, {ordinal}, 0, "
        f"timestamp_seconds({ordinal}), {ordinal})"
    )


def test_the_views_tell_who_waits_for_what_and_who_was_answered(
    spark: SparkSession, tmp_path: Path
) -> None:
    directory = str(tmp_path)
    create_tables(spark, directory)
    waits = [
        wait(1, 10, "b#1:1", "held", waiting_for="a#1:1"),
        wait(2, 11, "c#1:1", "held", waiting_for="a#1:1"),
        wait(3, 12, "d#1:1", "held", waiting_for="b#1:1"),
        wait(4, 13, "e#1:1", "held", waiting_for="x#1:9"),
        wait(5, 13, "e#1:1", "delivered"),
    ]
    add(spark, directory, WAITS.name, ", ".join(waits))
    deliveries = [
        delivery(1, "p#1:1"),
        delivery(2, "q#1:1", "p#1:1"),
        delivery(3, "q#1:2", "p#1:1"),
    ]
    add(spark, directory, DELIVERIES.name, ", ".join(deliveries))
    membership = [
        told(1, "a#1", "create"),
        told(2, "b#2", "join"),
        told(3, "b#1", "leave"),
        told(4, "c#1", "join"),
        told(5, "c#1", "leave"),
    ]
    add(spark, directory, MEMBERSHIP.name, ", ".join(membership))
    create_views(spark, directory)
    pending = spark.sql(
        "SELECT id, waiting_for, waiting_for_the_same, unix_seconds(since) FROM pending ORDER BY id"
    )
    assert [tuple(row) for row in pending.collect()] == [
        ("b#1:1", "a#1:1", 2, 10),
        ("c#1:1", "a#1:1", 2, 11),
        ("d#1:1", "b#1:1", 1, 12),
    ]
    gaps = spark.sql("SELECT `group`, missing, measure, waiting, unix_seconds(since) FROM gaps")
    assert [tuple(row) for row in gaps.collect()] == [("g", "a#1:1", "id", 2, 10)]
    groups = spark.sql("SELECT `group`, delivered, held, members FROM groups")
    assert [tuple(row) for row in groups.collect()] == [("g", 3, 3, 2)]
    threads = spark.sql("SELECT id, answers, last_answer_position FROM threads")
    assert [tuple(row) for row in threads.collect()] == [("p#1:1", 2, 3)]
    members = spark.sql("SELECT sender, after_position FROM members ORDER BY sender")
    assert [tuple(row) for row in members.collect()] == [("a#1", 1), ("b#2", 2)]
