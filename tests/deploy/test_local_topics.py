"""Laws of topics: made once, made as asked for, and refused if they are not."""

from typing import Any

import pytest
from confluent_kafka import Consumer, Producer, TopicPartition

from deploy.errors import BrokerUnreachableError, TopicDiffersError
from deploy.local.broker import Broker
from deploy.local.ports import free_ports
from deploy.local.topics import TopicSpec, admin_client, create_topics, precede_topics

LOG_APPEND_TIME = 2


def test_several_raw_topics_make_the_others_as_wide_as_all_of_them() -> None:
    specs = precede_topics(prefix="site", partitions=9, raw_topics={"north": 4, "south": 2})
    assert [(spec.name, spec.partitions) for spec in specs[:3]] == [
        ("north", 4),
        ("south", 2),
        ("site.ordered", 6),
    ]


def test_all_topics_of_a_prefix_have_the_same_partitions() -> None:
    specs = precede_topics(prefix="site", partitions=7)
    names = [spec.name for spec in specs]
    assert names == [
        "site.raw",
        "site.ordered",
        "site.quarantine",
        "site.counters",
        "site.waits",
        "site.gaps",
        "site.membership",
        "site.requests",
        "site.answers",
    ]
    assert {spec.partitions for spec in specs} == {7}


def test_nobody_at_the_address_is_one_clear_error() -> None:
    (port,) = free_ports(1)
    with pytest.raises(
        BrokerUnreachableError, match=f"No Kafka broker answered at 127.0.0.1:{port}"
    ):
        create_topics(f"127.0.0.1:{port}", precede_topics(partitions=1), within_seconds=0.3)


@pytest.mark.broker
def test_topics_are_made_once_and_asking_again_is_harmless(broker: Broker) -> None:
    specs = precede_topics(prefix="once", partitions=3)
    assert create_topics(broker.bootstrap, specs) == [spec.name for spec in specs]
    assert create_topics(broker.bootstrap, specs) == []
    found = admin_client(broker.bootstrap).list_topics(timeout=10).topics
    assert {len(found[spec.name].partitions) for spec in specs} == {3}


@pytest.mark.broker
def test_raw_records_carry_the_time_of_the_broker_and_not_of_their_sender(broker: Broker) -> None:
    (raw, *_) = precede_topics(prefix="stamped", partitions=1)
    create_topics(broker.bootstrap, [raw])
    producer = Producer({"bootstrap.servers": broker.bootstrap})
    producer.produce(raw.name, b"late", timestamp=1_000)
    assert producer.flush(30) == 0
    kind, stamp = read_one(broker.bootstrap, raw.name).timestamp()
    assert kind == LOG_APPEND_TIME
    assert stamp > 1_000_000_000_000


@pytest.mark.broker
def test_another_number_of_partitions_is_refused_with_both_numbers(broker: Broker) -> None:
    create_topics(broker.bootstrap, [TopicSpec(name="counted", partitions=2)])
    with pytest.raises(TopicDiffersError, match="counted has 2 partitions and shall have 4"):
        create_topics(broker.bootstrap, [TopicSpec(name="counted", partitions=4)])


@pytest.mark.broker
def test_another_setting_is_refused_with_both_values(broker: Broker) -> None:
    create_topics(broker.bootstrap, [TopicSpec(name="plain", partitions=1)])
    wanted = TopicSpec(
        name="plain", partitions=1, settings={"message.timestamp.type": "LogAppendTime"}
    )
    with pytest.raises(TopicDiffersError, match=r"=CreateTime and shall have LogAppendTime"):
        create_topics(broker.bootstrap, [wanted])


@pytest.mark.broker
def test_a_name_that_kafka_does_not_take_is_one_clear_error(broker: Broker) -> None:
    with pytest.raises(TopicDiffersError, match="Topic no/such could not be created"):
        create_topics(broker.bootstrap, [TopicSpec(name="no/such", partitions=1)])


def read_one(bootstrap: str, topic: str) -> Any:
    consumer = Consumer({"bootstrap.servers": bootstrap, "group.id": "unused"})
    consumer.assign([TopicPartition(topic, 0, 0)])
    try:
        record = consumer.poll(30)
        assert record is not None
        assert record.error() is None
        return record
    finally:
        consumer.close()
