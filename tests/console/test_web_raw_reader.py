"""Single datagrams of the raw topic, by their coordinates."""

from __future__ import annotations

import pytest

from console.web.raw_reader import RawReader
from deploy.local.broker import Broker
from tests.messages import wire
from tests.topic_tools import alone, new_topics, produce, produce_packed, two_raw_topics

pytestmark = pytest.mark.broker


def test_plain_and_packed_datagrams_are_found_and_what_is_not_there_is_left_out(
    broker: Broker,
) -> None:
    kafka = new_topics(broker.bootstrap, partitions=1)
    plain = [wire("a", number) for number in (1, 2)]
    packed = [wire("b", number) for number in (1, 2, 3)]
    produce(kafka, plain)
    produce_packed(kafka, packed, entries=3)
    reader = RawReader(kafka)
    found = reader.read([(0, 2, 1), (0, 1, 0), (0, 2, 9), (0, 999, 0), (0, 2, 2)])
    reader.close()
    assert found == {(0, 1, 0): plain[1], (0, 2, 1): packed[1], (0, 2, 2): packed[2]}


def test_a_shard_is_looked_up_in_its_own_raw_topic(broker: Broker) -> None:
    kafka = two_raw_topics(broker.bootstrap)
    north, south = kafka.shards.topics
    produce(alone(kafka, north), [wire("n", 1)])
    produce(alone(kafka, south), [wire("s", 1)])
    reader = RawReader(kafka)
    assert reader.read([(2, 0, 0)]) == {(2, 0, 0): wire("s", 1)}
    reader.close()
