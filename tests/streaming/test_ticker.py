"""Ticks stand in the raw topic after what the job has ordered."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from deploy.local.broker import Broker
from ingest.wire.envelope import Kind, decode
from sinks.kafka_client import read_topic
from sinks.records import Counters, encode_counters
from sinks.settings import KafkaSettings
from streaming.ticker import Ticker
from tests.messages import wire
from tests.topic_tools import new_topics, produce, produce_to

pytestmark = pytest.mark.broker

PATIENCE_SECONDS = 30.0


def ticks(kafka: KafkaSettings) -> list[int]:
    found = [decode(record.value) for record in read_topic(kafka, kafka.topics.raw)]
    return [envelope.sent_at for envelope in found if envelope.kind is Kind.TICK]


def say_ordered(kafka: KafkaSettings, *, through_offset: int, deadlines: int) -> None:
    counters = Counters(0, through_offset=through_offset, deadlines=deadlines)
    value = encode_counters(counters)
    produce_to(kafka, kafka.topics.counters, [(b"0", value)])


def wait_for(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_no_tick_before_the_backlog_is_ordered(broker: Broker) -> None:
    kafka = new_topics(broker.bootstrap, partitions=1)
    produce(kafka, [wire("b", 1, ("a", 1)), wire("c", 1)])
    say_ordered(kafka, through_offset=0, deadlines=1)
    ticker = Ticker(kafka, pace_ms=100, clock=lambda: 7_000_000)
    ticker.start()
    try:
        wait_for(lambda: bool(ticker._ordered and ticker._plan._awaited))
        assert ticks(kafka) == []
        say_ordered(kafka, through_offset=1, deadlines=1)
        wait_for(lambda: ticks(kafka) == [7_000_000])
        say_ordered(kafka, through_offset=2, deadlines=1)
        wait_for(lambda: len(ticks(kafka)) == 2)
    finally:
        ticker.stop()
