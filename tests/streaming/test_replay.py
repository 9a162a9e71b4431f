"""What the log comes to once more is what the job wrote (whole rebuilds: `test_rebuilding`)."""

from __future__ import annotations

import pytest

from deploy.local.broker import Broker
from sinks.records import Counters
from sinks.tables import TABLES
from streaming.policy import group_policies
from streaming.replay import replay
from streaming.settings import JobSettings
from tests.messages import wire
from tests.topic_tools import new_topics, produce

pytestmark = pytest.mark.broker


def test_a_log_is_replayed_up_to_where_the_job_is(broker: Broker) -> None:
    kafka = new_topics(broker.bootstrap, partitions=1)
    produce(kafka, [wire("b", 1, ("a", 1)), b"junk", wire("a", 1), wire("c", 1)])
    counters = {0: Counters(0, through_offset=2)}
    found = list(replay(kafka, policies=group_policies(JobSettings()), counters=counters))
    assert [one.table for one in found] == list(TABLES)
    assert [len(one.records.keys) for one in found] == [2, 1, 0, 0]
    assert list(replay(kafka, policies=group_policies(JobSettings()), counters={})) == []
