"""The end of a topic can be looked at now and then, without reading all of it."""

from __future__ import annotations

import time

import pytest

from deploy.local.broker import Broker
from sinks.kafka_client import TopicRecord
from sinks.settings import KafkaSettings
from sinks.tail import Tail
from tests.topic_tools import new_topics, produce_to

pytestmark = pytest.mark.broker

PATIENCE_SECONDS = 60.0


def read_until(tail: Tail, count: int, *, most: int = 1_000) -> list[TopicRecord]:
    found: list[TopicRecord] = []
    deadline = time.monotonic() + PATIENCE_SECONDS
    while len(found) < count:
        assert time.monotonic() < deadline
        found += tail.read(most=most)
    return found


def write(kafka: KafkaSettings, first: int, last: int) -> None:
    topic = kafka.topics.ordered
    produce_to(kafka, topic, ((b"k", b"%d" % number) for number in range(first, last)))


def test_a_tail_begins_at_the_newest_and_goes_on_with_what_comes(broker: Broker) -> None:
    kafka = new_topics(broker.bootstrap, partitions=1)
    write(kafka, 0, 10)
    with Tail(kafka, kafka.topics.ordered, newest=2) as tail:
        assert [one.value for one in read_until(tail, 2)] == [b"8", b"9"]
        write(kafka, 10, 12)
        assert [one.value for one in read_until(tail, 2)] == [b"10", b"11"]
        assert tail.ends(kafka.topics.ordered) == {0: 12}
        assert tail.ends(kafka.topics.raw) == {0: 0}


def test_what_is_unread_can_be_left_out_but_the_newest(broker: Broker) -> None:
    kafka = new_topics(broker.bootstrap, partitions=1)
    with Tail(kafka, kafka.topics.ordered, newest=0) as tail:
        assert tail.read() == []
        write(kafka, 0, 500)
        tail.skip_to_newest(3)
        records = read_until(tail, 3)
        assert [one.value for one in records] == [b"497", b"498", b"499"]
        assert all(one.written_at > 0 for one in records)


def test_nothing_is_left_out_where_there_is_less_than_that(broker: Broker) -> None:
    kafka = new_topics(broker.bootstrap, partitions=1)
    with Tail(kafka, kafka.topics.ordered, newest=0) as tail:
        assert tail.read() == []
        write(kafka, 0, 5)
        tail.skip_to_newest(500)
        assert [one.value for one in read_until(tail, 5)] == [b"%d" % n for n in range(5)]
