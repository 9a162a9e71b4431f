"""How large a batch becomes follows from how the newest records of the raw topics are packed."""

from __future__ import annotations

import pytest

from deploy.local.broker import Broker
from sinks.settings import KafkaSettings
from streaming.batch_size import LOOKED_AT, most_records
from streaming.errors import BrokerError
from tests.messages import wire
from tests.topic_tools import new_topics, produce, produce_packed, produce_ticks

pytestmark = pytest.mark.broker


def test_a_record_is_a_message_where_nothing_is_packed(broker: Broker) -> None:
    kafka = new_topics(broker.bootstrap)
    assert most_records(kafka, messages=1_000) == 1_000
    produce(kafka, [wire("alice", 1)])
    assert most_records(kafka, messages=1_000) == 1_000


def test_bundles_make_fewer_records_and_ticks_between_them_do_not_count(broker: Broker) -> None:
    kafka = new_topics(broker.bootstrap)
    produce_packed(kafka, [wire("alice", seq) for seq in range(1, 51)], entries=10)
    produce_ticks(kafka, at=1)
    assert most_records(kafka, messages=1_000) == 100
    assert most_records(kafka, messages=3) == 1


def test_where_only_some_pack_the_others_count_too(broker: Broker) -> None:
    kafka = new_topics(broker.bootstrap)
    produce_packed(kafka, [wire("alice", seq) for seq in range(1, 22)], entries=21)
    produce(kafka, [wire("bob", seq) for seq in range(1, 20)])
    assert most_records(kafka, messages=1_000) == 500


def test_topics_that_cannot_be_read_are_the_brokers_affair(broker: Broker) -> None:
    nowhere = KafkaSettings(bootstrap=broker.bootstrap, topic_prefix="nowhere")
    with pytest.raises(BrokerError, match=r"no topic nowhere\.raw"):
        most_records(nowhere, messages=1_000)


def test_only_the_newest_records_say_how_it_is_packed_now(broker: Broker) -> None:
    kafka = new_topics(broker.bootstrap)
    produce_packed(kafka, [wire("alice", seq) for seq in range(1, 501)], entries=100)
    produce_packed(
        kafka, [wire("alice", seq) for seq in range(501, 501 + 2 * LOOKED_AT)], entries=2
    )
    assert most_records(kafka, messages=1_000) == 500
