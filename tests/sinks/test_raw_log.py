"""A raw partition is read whole and in order, however it is cut into pieces."""

from __future__ import annotations

import pytest

from deploy.local.broker import Broker
from sinks.raw_log import first_offset, read_raw
from sinks.shards import Place
from tests.messages import wire
from tests.topic_tools import new_topics, produce

pytestmark = pytest.mark.broker


def test_a_partition_is_read_from_an_offset_to_another_in_pieces(broker: Broker) -> None:
    kafka = new_topics(broker.bootstrap, partitions=1)
    log = [wire("a", seq) for seq in range(1, 26)]
    produce(kafka, log)
    place = Place(kafka.topics.raw, 0, 1)
    assert first_offset(kafka, place) == 0
    pieces = list(read_raw(kafka, place, end=23, records=10))
    assert [len(piece.offsets) for piece in pieces] == [10, 10, 3]
    assert [offset for piece in pieces for offset in piece.offsets] == list(range(23))
    assert [value for piece in pieces for value in piece.values] == log[:23]
    assert all(at > 0 for piece in pieces for at in piece.captured_at)
    (rest,) = read_raw(kafka, place, start=20, end=25, records=10)
    assert rest.values == log[20:]
    assert list(read_raw(kafka, place, start=5, end=5, records=10)) == []
