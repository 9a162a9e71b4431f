"""The topic as it stands: bounds, a start in the middle, going back."""

from __future__ import annotations

import pytest

from deploy.local.broker import Broker
from sinks.consumer_live import Bounds, LiveTopic
from sinks.records import decode_ordered
from tests.sinks.ordered_topics import write_ordered
from tests.topic_tools import new_topics


def read_so_many(live: LiveTopic, count: int) -> list[int]:
    found: list[int] = []
    while len(found) < count:
        found += [decode_ordered(record.value).ordinal for record in live.read(1.0)]
    return found


@pytest.mark.broker
def test_a_partition_is_read_from_an_offset_and_again_from_an_earlier_one(broker: Broker) -> None:
    kafka = new_topics(broker.bootstrap)
    write_ordered(kafka, range(1, 21))
    live = LiveTopic(kafka)
    try:
        assert live.bounds(0) == Bounds(0, 20)
        live.start({0: 15, 1: 0})
        assert live.next_offsets() == {0: 15, 1: 0}
        assert read_so_many(live, 5) == [16, 17, 18, 19, 20]
        assert live.next_offsets() == {0: 20, 1: 0}
        live.go_back(0, 18)
        assert read_so_many(live, 2) == [19, 20]
    finally:
        live.close()
