import time

import pytest

from deploy.local.broker import Broker
from ingest.errors import BrokerAwayError, PublisherClosedError, TopicMissingError
from ingest.publisher import Publisher
from ingest.settings import AgentSettings
from ingest.wire.partition import partition_of
from ordering.values import GroupId
from sinks.settings import KafkaSettings
from tests.ingest.loopback import wait_until
from tests.ingest.raw_topics import new_raw_topic, raw_topic_of, records_of

NOBODY = KafkaSettings(bootstrap="127.0.0.1:1")
PATIENCE_S = 60.0
SETTINGS = AgentSettings(broker_away_after_ms=60_000)
IMPATIENT = AgentSettings(broker_away_after_ms=1_000)


def test_a_broker_that_is_not_there_is_one_sentence_after_a_bounded_time() -> None:
    with pytest.raises(BrokerAwayError, match=r"127\.0\.0\.1:1 within 1 s.*kafka\.bootstrap"):
        Publisher(raw_topic_of(NOBODY), IMPATIENT)


@pytest.mark.broker
def test_a_topic_that_is_not_there_is_one_sentence_and_is_not_created(broker: Broker) -> None:
    kafka = KafkaSettings(bootstrap=broker.bootstrap, topic_prefix="nobody-made-this")
    for _ in range(2):
        with pytest.raises(TopicMissingError, match=r"nobody-made-this\.raw"):
            Publisher(raw_topic_of(kafka), SETTINGS)


@pytest.mark.broker
def test_a_record_is_its_bytes_in_the_partition_of_its_group_in_order(broker: Broker) -> None:
    kafka, raw = new_raw_topic(broker.bootstrap, partitions=5)
    groups = [GroupId(f"group-{number}") for number in range(20)] + [GroupId("grüße")]
    publisher = Publisher(raw, SETTINGS)
    for number in range(10):
        for group in groups:
            publisher.publish(group.encode(), f"{group} {number}".encode())
    publisher.close(within_s=PATIENCE_S)
    assert (publisher.published, publisher.failed, publisher.waiting) == (210, 0, 0)
    records = records_of(kafka)
    assert len(records) == 210
    for group in groups:
        mine = [r for r in records if r.key == group.encode()]
        assert {r.partition for r in mine} == {partition_of(group, 5)}
        assert [r.value for r in mine] == [f"{group} {number}".encode() for number in range(10)]


@pytest.mark.broker
def test_a_full_queue_makes_the_caller_wait_and_loses_nothing(broker: Broker) -> None:
    kafka, raw = new_raw_topic(broker.bootstrap)
    publisher = Publisher(raw, AgentSettings(queue_messages=1_000, broker_away_after_ms=60_000))
    for number in range(20_000):
        publisher.publish(b"dev", number.to_bytes(4, "big"))
    publisher.close(within_s=PATIENCE_S)
    values = [int.from_bytes(record.value, "big") for record in records_of(kafka)]
    assert values == list(range(20_000))
    assert publisher.blocked > 0


@pytest.mark.broker
def test_after_the_end_nothing_is_accepted_and_that_is_counted(broker: Broker) -> None:
    _, raw = new_raw_topic(broker.bootstrap)
    publisher = Publisher(raw, SETTINGS)
    publisher.close(within_s=PATIENCE_S)
    with pytest.raises(PublisherClosedError):
        publisher.publish(b"dev", b"late")
    assert publisher.failed == 1
    publisher.abandon()


@pytest.mark.broker
@pytest.mark.kill
def test_a_broker_that_goes_away_is_noticed_and_what_it_did_not_take_is_counted() -> None:
    with Broker() as own:
        _, raw = new_raw_topic(own.bootstrap)
        busy = Publisher(raw, AgentSettings(broker_away_after_ms=10_000))
        idle = Publisher(raw, AgentSettings(broker_away_after_ms=10_000))
        own.kill()
        busy.publish(b"dev", b"nobody takes this")
        with pytest.raises(BrokerAwayError, match="no Kafka broker answered"):
            _check_until_it_raises(idle)
        wait_until(lambda: busy.failed == 1)
        with pytest.raises(BrokerAwayError, match=r"did not take 1 of 1 .*start the agent again"):
            _check_until_it_raises(busy)
    assert (busy.published, busy.failed, busy.waiting) == (0, 1, 0)
    assert (idle.published, idle.failed, idle.waiting) == (0, 0, 0)


def _check_until_it_raises(publisher: Publisher) -> None:
    deadline_s = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline_s:
        publisher.check(now_s=time.monotonic())
        time.sleep(0.05)
