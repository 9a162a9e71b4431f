"""The reader that Spark asks for the next batch, asked directly; a bound counts messages."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from confluent_kafka import TopicPartition
from pyspark.sql.types import StructType

from deploy.local.broker import Broker
from deploy.local.topics import admin_client
from ingest.wire.bundle import pack
from ingest.wire.envelope import encode, tick
from ingest.wire.partition import partition_of
from ordering.values import GroupId
from sinks import protocol_client
from sinks.batch_writing import Records, write_batches
from sinks.errors import DestinationError
from sinks.settings import KafkaSettings, SecurityProtocol
from streaming import pace, stretch_source
from streaming.errors import BrokerError, CheckpointError, classify
from streaming.pace import Pace
from streaming.settings import JobSettings
from streaming.stretch_source import (
    StretchReader,
    StretchSource,
    messages_per_record,
    source_options,
)
from streaming.stretches import Offsets, Stretch
from tests.messages import wire
from tests.topic_tools import (
    alone,
    new_topics,
    produce,
    produce_packed,
    produce_ticks,
    two_raw_topics,
)


def reader_of(kafka: KafkaSettings, *, messages: int = 1_000) -> StretchReader:
    pace = Pace(most=messages, seconds=2, interval=0.2)
    return StretchReader(kafka, topics=kafka.shards.topics, pace=pace)


def said(first: int, last: int, *, group: str = "g") -> list[bytes]:
    """Messages of one group, and so of one partition."""
    return [wire("alice", seq, group=group) for seq in range(first, last + 1)]


def group_of(partition: int, *, partitions: int) -> str:
    """A group that lives there."""
    names = (f"g{number}" for number in range(1_000))
    return next(name for name in names if partition_of(GroupId(name), partitions) == partition)


def at(topic: str, *offsets: int) -> Offsets:
    return {topic: {str(number): offset for number, offset in enumerate(offsets)}}


def first_batch(kafka: KafkaSettings, *, messages: int) -> int:
    """How many records it has, of a log of one partition."""
    reader = reader_of(kafka, messages=messages)
    ((_, _, first, behind),), end = reader.read(reader.initialOffset())
    assert end == at(kafka.topics.raw, behind)
    return behind - first


def forget(kafka: KafkaSettings, *, before: int) -> None:
    """Let the first records of partition 0 expire."""
    admin = admin_client(kafka.bootstrap)
    (done,) = admin.delete_records([TopicPartition(kafka.topics.raw, 0, before)]).values()
    done.result(30)


@pytest.mark.broker
def test_a_batch_has_a_row_for_each_partition_with_news_until_there_are_none(
    broker: Broker,
) -> None:
    kafka = new_topics(broker.bootstrap, partitions=3)
    raw = kafka.topics.raw
    for partition, count in ((0, 2), (2, 5)):
        produce(kafka, said(1, count, group=group_of(partition, partitions=3)))
    reader = reader_of(kafka)
    start = reader.initialOffset()
    assert start == at(raw, 0, 0, 0)
    rows, end = reader.read(start)
    planned = list(rows)
    assert planned == [Stretch(raw, 0, 0, 2), Stretch(raw, 2, 0, 5)]
    assert end == at(raw, 2, 0, 5)
    rows, again = reader.read(end)
    assert (list(rows), json.dumps(again)) == ([], json.dumps(end))
    after_a_crash = reader_of(kafka).readBetweenOffsets(start, json.loads(json.dumps(end)))
    assert list(after_a_crash) == planned


@pytest.mark.broker
def test_a_new_checkpoint_begins_with_the_oldest_record_that_is_still_there(broker: Broker) -> None:
    kafka = new_topics(broker.bootstrap, partitions=1)
    produce(kafka, said(1, 9))
    forget(kafka, before=4)
    assert reader_of(kafka).initialOffset() == at(kafka.topics.raw, 4)


@pytest.mark.broker
def test_a_record_is_a_message_where_nothing_is_packed(broker: Broker) -> None:
    kafka = new_topics(broker.bootstrap, partitions=1)
    produce(kafka, said(1, 300))
    assert first_batch(kafka, messages=1_000) == 300
    assert first_batch(kafka, messages=100) == 100


@pytest.mark.broker
def test_bundles_make_fewer_records_and_ticks_between_them_do_not_count(broker: Broker) -> None:
    kafka = new_topics(broker.bootstrap, partitions=1)
    produce_ticks(kafka, at=1)
    produce_packed(kafka, said(1, 50), entries=10)
    produce_ticks(kafka, at=2)
    assert first_batch(kafka, messages=1_000) == 7
    assert first_batch(kafka, messages=20) == 2
    assert first_batch(kafka, messages=3) == 1


@pytest.mark.broker
def test_where_only_some_pack_the_others_count_too(broker: Broker) -> None:
    kafka = new_topics(broker.bootstrap, partitions=1)
    produce_packed(kafka, said(1, 21), entries=21)
    produce(kafka, said(22, 40))
    assert first_batch(kafka, messages=10) == 5


@pytest.mark.broker
@pytest.mark.parametrize(("looks_every", "records"), [(-1.0, 500), (1_000.0, 10)])
def test_what_comes_next_says_how_it_is_packed_and_is_looked_at_again_after_a_while(
    broker: Broker, monkeypatch: pytest.MonkeyPatch, looks_every: float, records: int
) -> None:
    monkeypatch.setattr(stretch_source, "_LOOK_EVERY_SECONDS", looks_every)
    kafka = new_topics(broker.bootstrap, partitions=1)
    produce_packed(kafka, said(1, 11_000), entries=100)
    produce_packed(kafka, said(11_001, 13_000), entries=2)
    reader = reader_of(kafka, messages=1_000)
    _, end = reader.read(at(kafka.topics.raw, 0))
    assert end == at(kafka.topics.raw, 10)
    _, end = reader.read(at(kafka.topics.raw, 110))
    assert end == at(kafka.topics.raw, 110 + records)


@pytest.mark.broker
def test_batch_after_batch_comes_to_the_end_of_all_partitions_in_bounds(broker: Broker) -> None:
    kafka = new_topics(broker.bootstrap)
    for partition, count in ((0, 40), (1, 130)):
        produce(kafka, said(1, count, group=group_of(partition, partitions=2)))
    reader = reader_of(kafka, messages=50)
    end = reader.initialOffset()
    sizes = []
    while rows := list((answer := reader.read(end))[0]):
        end = answer[1]
        sizes.append(sum(behind - first for _, _, first, behind in rows))
    assert end == at(kafka.topics.raw, 40, 130)
    assert max(sizes) <= 50


@pytest.mark.broker
def test_after_a_batch_that_lasted_long_the_next_one_has_fewer_messages(
    broker: Broker, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 100.0
    monkeypatch.setattr(pace, "LEAST", 10)
    monkeypatch.setattr(stretch_source, "_monotonic", lambda: now)
    kafka = new_topics(broker.bootstrap, partitions=1)
    produce_packed(kafka, said(1, 2_000), entries=10)
    reader = reader_of(kafka, messages=400)
    end = reader.initialOffset()
    sizes = []
    for lasting in (0.1, 0.1, 8.0, 0.1):
        ((_, _, first, behind),), end = reader.read(end)
        sizes.append((behind - first) * 10)
        now += lasting
    assert sizes == [100, 200, 400, 100]


@pytest.mark.broker
def test_a_run_that_shall_end_leaves_what_comes_meanwhile_to_the_next_one(broker: Broker) -> None:
    kafka = new_topics(broker.bootstrap, partitions=1)
    raw = kafka.topics.raw
    produce(kafka, said(1, 30))
    reader = reader_of(kafka, messages=20)
    reader.prepareForTriggerAvailableNow()
    produce(kafka, said(31, 60))
    ends = []
    end = reader.initialOffset()
    for _ in range(4):
        _, end = reader.read(end)
        ends.append(end)
    assert ends[-2:] == [at(raw, 30)] * 2
    assert reader_of(kafka).read(end)[1] == at(raw, 60)
    reader.prepareForTriggerAvailableNow()
    assert reader.read(at(raw, 55))[1] == at(raw, 60)


@pytest.mark.broker
def test_a_topic_that_is_added_to_the_settings_later_begins_at_its_beginning(
    broker: Broker,
) -> None:
    kafka = two_raw_topics(broker.bootstrap)
    north, south = kafka.shards.topics
    for topic, count in ((north, 3), (south, 2)):
        one = alone(kafka, topic)
        group = group_of(0, partitions=one.shards.topics[topic])
        produce(replace(one, partitions=one.shards.topics[topic]), said(1, count, group=group))
    before = reader_of(alone(kafka, north))
    _, start = before.read(before.initialOffset())
    assert start == at(north, 3, 0)
    rows, end = reader_of(kafka).read(start)
    planned = list(rows)
    assert planned == [Stretch(south, 0, 0, 2)]
    assert end == start | at(south, 2)
    assert list(reader_of(kafka).readBetweenOffsets(start, end)) == planned


@pytest.mark.broker
def test_a_topic_that_ends_before_what_was_read_was_made_anew_and_is_refused(
    broker: Broker,
) -> None:
    kafka = new_topics(broker.bootstrap, partitions=1)
    produce(kafka, said(1, 3))
    with pytest.raises(DestinationError, match=r"ends at offset 3, and 9 was read: was") as told:
        reader_of(kafka).read(at(kafka.topics.raw, 9))
    assert isinstance(classify(told.value), CheckpointError)


@pytest.mark.broker
def test_what_has_expired_before_it_was_read_is_refused_with_the_same_sentence(
    broker: Broker,
) -> None:
    kafka = new_topics(broker.bootstrap, partitions=1)
    produce(kafka, said(1, 300))
    forget(kafka, before=100)
    with pytest.raises(Exception, match=kafka.topics.raw) as told:
        reader_of(kafka, messages=10).read(at(kafka.topics.raw, 0))
    assert isinstance(classify(told.value), CheckpointError)


@pytest.mark.broker
def test_topics_that_cannot_be_read_are_the_brokers_affair(
    broker: Broker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(protocol_client, "PATIENCE_SECONDS", 1.0)
    nowhere = KafkaSettings(bootstrap=broker.bootstrap, topic_prefix="nowhere")
    with pytest.raises(DestinationError, match=r"nowhere\.raw") as told:
        reader_of(nowhere).initialOffset()
    assert isinstance(classify(told.value), BrokerError)


@pytest.mark.parametrize(
    ("values", "messages"),
    [
        ([], 1),
        ([encode(tick(1))] * 3, 1),
        ([b"junk", wire("a", 1)], 1),
        ([pack([(0, b"x")] * 7), encode(tick(1)), b"y"], 4),
        ([pack([(0, b"x")] * 9)[:-1]], 1),
        ([b"y"] * 100 + [pack([(0, b"x")] * 9)] * 50, 1),
    ],
)
def test_the_next_hundred_records_say_how_many_messages_one_has(
    values: list[bytes], messages: float
) -> None:
    keys = [b""] * len(values)
    fetched = b"".join(
        batch.content for batch in write_batches(Records(keys, values, None), at_ms=1)
    )
    assert messages_per_record(fetched, begin=0) == messages


@pytest.mark.parametrize("topics", [{"north": 2, "south": 1}, {"p.raw": 3}])
def test_the_settings_travel_through_the_options_and_a_password_stays_in_its_file(
    tmp_path: Path, topics: dict[str, int]
) -> None:
    secret = tmp_path / "hidden"
    secret.write_text("hunter2\n", encoding="utf-8")
    secret.chmod(0o600)
    kafka = KafkaSettings(
        bootstrap="a:1,b:2",
        raw_topics=("north=2", "south=1"),
        security_protocol=SecurityProtocol.SASL_SSL,
        ca_file=tmp_path / "ca.pem",
        username="job",
        password_file=secret,
    )
    for one in (kafka, KafkaSettings()):
        job = JobSettings(max_messages_per_batch=7, max_batch_ms=1_500, trigger_interval_ms=300)
        options = source_options(one, job, topics=topics, batches=4)
        assert not any("hunter2" in name + text for name, text in options.items())
        source = StretchSource(options)
        assert source.name() == stretch_source.FORMAT
        reader = source.simpleStreamReader(StructType())
        assert reader._client._kafka == one
        assert vars(reader._pace) == vars(Pace(most=28, seconds=6, interval=0.3))
        assert Counter(topic for topic, _ in reader._partitions) == topics
