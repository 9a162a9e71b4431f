import random
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from confluent_kafka import KafkaError, Producer
from kafka.admin import ConfigResource, ConfigResourceType, KafkaAdminClient

from deploy.local.broker import Broker
from deploy.local.topics import create_topics, precede_topics
from ingest.kafka_options import RawTopic
from ingest.publish_settings import ONE_PER_RECORD, PublishSettings
from ingest.publisher import Publisher
from ingest.spool.settings import SpoolSettings
from ingest.spool.spool import Spool
from ingest.telemetry.journal import Tell, silent
from ingest.wire.partition import partition_of
from ordering.values import GroupId
from sinks.kafka_client import producer_options
from sinks.settings import KafkaSettings
from tests.ingest.loopback import wait_until
from tests.ingest.raw_topics import new_raw_topic, raw_topic_of, records_of, stored_in, values_in
from tests.ingest.told import Told

PATIENCE_S = 60.0
PACKED = PublishSettings()


@contextmanager
def publishing(
    directory: Path,
    raw: RawTopic,
    settings: PublishSettings = PACKED,
    *,
    away_after_s: float = PATIENCE_S,
    drain_within_s: float = PATIENCE_S,
    tell: Tell = silent,
) -> Iterator[tuple[Spool, Publisher]]:
    """A spool and its publisher, closed in the order in which an agent closes them."""
    spool = Spool(SpoolSettings(directory=str(directory), sync_every_ms=1))
    publisher = Publisher(spool, raw, settings, away_after_s=away_after_s, tell=tell)
    publisher.start()
    try:
        yield spool, publisher
    finally:
        publisher.close(within_s=drain_within_s)
        spool.close(within_s=PATIENCE_S)
    assert publisher.maybe_failure is None


@pytest.mark.broker
@pytest.mark.parametrize("pack_bytes", [ONE_PER_RECORD, 1_000, 64_000])
def test_every_message_is_in_the_partition_of_its_group_once_and_in_order(
    pack_bytes: int, broker: Broker, tmp_path: Path
) -> None:
    kafka, raw = new_raw_topic(broker.bootstrap, partitions=5)
    groups = [GroupId(f"group-{number}") for number in range(20)] + [GroupId("grüße")]
    with publishing(tmp_path, raw, PublishSettings(pack_bytes=pack_bytes)) as (spool, publisher):
        for number in range(100):
            for group in groups:
                spool.append(number, group.encode(), f"{group} {number}".encode())
    assert (spool.published, spool.waiting) == (2_100, 0)
    stored = stored_in(kafka)
    assert len(stored) == 2_100
    for group in groups:
        values = [f"{group} {number}".encode() for number in range(100)]
        mine = [one for one in stored if one.value in values]
        assert {one.partition for one in mine} == {partition_of(group, 5)}
        assert [one.value for one in mine] == values
        if pack_bytes:
            assert [one.captured_at for one in mine] == list(range(100))
    records = records_of(kafka)
    assert len(records) == publisher.records
    assert (len(records) == 2_100) == (pack_bytes == ONE_PER_RECORD)
    assert publisher.sessions == 1


@pytest.mark.broker
def test_a_small_bound_on_what_is_in_flight_loses_nothing(broker: Broker, tmp_path: Path) -> None:
    kafka, raw = new_raw_topic(broker.bootstrap)
    with publishing(tmp_path, raw, PublishSettings(in_flight_kilobytes=1_024)) as (spool, _):
        for number in range(5_000):
            spool.append(1, b"dev", number.to_bytes(4, "big") * 500)
    values = [int.from_bytes(value[:4], "big") for value in values_in(kafka)]
    assert values == list(range(5_000))


@pytest.mark.broker
def test_what_waited_in_the_spool_goes_first_after_a_restart(
    broker: Broker, tmp_path: Path
) -> None:
    kafka, raw = new_raw_topic(broker.bootstrap)
    nobody = raw_topic_of(KafkaSettings(bootstrap="127.0.0.1:1"))
    with publishing(tmp_path, nobody, drain_within_s=0.1) as (spool, _):
        for number in range(100):
            spool.append(1, b"dev", b"%d" % number)
    assert (spool.published, spool.waiting) == (0, 100)
    with publishing(tmp_path, raw) as (spool, _):
        for number in range(100, 200):
            spool.append(1, b"dev", b"%d" % number)
    assert (spool.published, spool.waiting, spool.recovered.waiting) == (200, 0, 100)
    assert values_in(kafka) == [b"%d" % number for number in range(200)]


@pytest.mark.broker
def test_a_record_that_no_kafka_takes_is_passed_over_and_told(
    broker: Broker, tmp_path: Path
) -> None:
    kafka, raw = new_raw_topic(broker.bootstrap)
    told = Told()
    with publishing(tmp_path, raw, tell=told) as (spool, publisher):
        spool.append(1, b"dev", b"before")
        wait_until(lambda: spool.cursor == 1)
        spool.append(1, b"dev", b"x" * 1_500_000)
        wait_until(lambda: spool.cursor == 2)
        spool.append(1, b"dev", b"after")
    assert values_in(kafka) == [b"before", b"after"]
    assert publisher.unpublishable == 1
    assert told.names == ["unpublishable"]


@pytest.mark.broker
def test_a_record_that_this_topic_refuses_waits_until_the_topic_takes_it(
    broker: Broker, tmp_path: Path
) -> None:
    kafka, raw = new_raw_topic(broker.bootstrap)
    told = Told()
    # What compression does not shorten.
    long, probe = random.Random(1).randbytes(5_000), random.Random(2).randbytes(5_000)
    _limit_records(kafka, "2000")
    wait_until(lambda: _is_refused(kafka, probe))
    with publishing(tmp_path, raw, tell=told) as (spool, publisher):
        spool.append(1, b"dev", long)
        wait_until(lambda: publisher.sessions > 2)
        wait_until(lambda: publisher.state.is_away)
        assert spool.cursor == 0
        _limit_records(kafka, "1000000")
        wait_until(lambda: spool.cursor == 1)
        spool.append(1, b"dev", b"after")
    assert [value for value in values_in(kafka) if value != probe] == [long, b"after"]
    assert told.names == ["kafka_refuses", "kafka_back"]


def _is_refused(kafka: KafkaSettings, value: bytes) -> bool:
    """A change of a topic's settings is there some time after it was acknowledged."""
    errors: list[KafkaError | None] = []
    producer = Producer(producer_options(kafka))
    producer.produce(kafka.topics.raw, value, on_delivery=lambda error, _: errors.append(error))
    producer.flush(PATIENCE_S)
    return [error and error.code() for error in errors] == [KafkaError.MSG_SIZE_TOO_LARGE]


def _limit_records(kafka: KafkaSettings, size: str) -> None:
    admin = KafkaAdminClient(bootstrap_servers=kafka.bootstrap)
    change = {"max.message.bytes": size}
    admin.alter_configs([ConfigResource(ConfigResourceType.TOPIC, kafka.topics.raw, change)])
    admin.close()


@pytest.mark.broker
def test_a_topic_that_is_made_later_is_found(broker: Broker, tmp_path: Path) -> None:
    prefix = f"later-{time.monotonic_ns()}"
    kafka = KafkaSettings(bootstrap=broker.bootstrap, topic_prefix=prefix)
    with publishing(tmp_path, raw_topic_of(kafka)) as (spool, publisher):
        spool.append(1, b"dev", b"early")
        wait_until(lambda: publisher.state.is_in_doubt)
        create_topics(broker.bootstrap, precede_topics(prefix=prefix, partitions=2))
        wait_until(lambda: spool.cursor == 1)
    assert values_in(kafka) == [b"early"]


def test_an_end_without_kafka_comes_in_time_and_keeps_everything(tmp_path: Path) -> None:
    nobody = raw_topic_of(KafkaSettings(bootstrap="127.0.0.1:1"))
    with publishing(tmp_path, nobody, drain_within_s=0.1) as (spool, _):
        spool.append(1, b"dev", b"kept")
    assert spool.waiting == 1
