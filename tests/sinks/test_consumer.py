"""Every delivered message once and in order, whatever the topic and the table look like."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from confluent_kafka import TopicPartition
from confluent_kafka.admin import AdminClient

import sinks
from deploy.local.broker import Broker
from deploy.local.topics import create_topics, precede_topics
from sinks import OrderedConsumer, Start
from sinks.consumer import Counts
from sinks.errors import ClosedError, DestinationError, LossError, TokenError
from sinks.kafka_client import client_options, end_offsets
from sinks.settings import KafkaSettings
from tests.sinks.ordered_topics import (
    ordered_value,
    write_ordered,
    write_table,
    write_table_of,
    write_values,
)
from tests.topic_tools import new_topics

pytestmark = pytest.mark.broker
PATIENCE = 30.0


def all_ordinals(consumer: OrderedConsumer) -> list[int]:
    return [delivery.ordinal for delivery in consumer.until_end()]


def delete_before(kafka: KafkaSettings, offset: int, *, partition: int = 0) -> None:
    """What retention does."""
    admin = AdminClient(client_options(kafka))
    place = TopicPartition(kafka.topics.ordered, partition, offset)
    for future in admin.delete_records([place]).values():
        future.result(PATIENCE)


def test_the_room_gives_the_consumer_by_name_and_knows_what_it_has() -> None:
    assert sinks.OrderedConsumer is OrderedConsumer
    assert sinks.Delivery._fields[:3] == ("group", "position", "id")
    with pytest.raises(AttributeError, match="OrderedConsumer"):
        _ = sinks.Nothing


def test_a_topic_is_read_from_the_first_message_to_its_end(broker: Broker) -> None:
    kafka = new_topics(broker.bootstrap)
    write_ordered(kafka, range(1, 2_501), partition=0)
    write_ordered(kafka, range(1, 4), partition=1, group="other")
    with OrderedConsumer(broker.bootstrap, topic_prefix=kafka.topic_prefix) as consumer:
        read = list(consumer.until_end())
        assert consumer.counts == Counts(given=2_503)
    assert [one.ordinal for one in read if one.group == "g"] == list(range(1, 2_501))
    assert [one.text for one in read if one.group == "other"] == ["other 1", "other 2", "other 3"]


def test_planted_repeats_are_dropped(broker: Broker) -> None:
    kafka = new_topics(broker.bootstrap)
    write_ordered(kafka, [1, 2, 3, 1, 2, 3, 4, 5, 3, 4, 5, 6, 6, 7])
    with OrderedConsumer(kafka) as consumer:
        assert all_ordinals(consumer) == [1, 2, 3, 4, 5, 6, 7]
        assert consumer.counts.repeats == 7


def test_a_missing_number_is_told_as_loss_once_and_reading_goes_on(broker: Broker) -> None:
    kafka = new_topics(broker.bootstrap)
    write_ordered(kafka, [1, 2, 5, 6])
    with OrderedConsumer(kafka) as consumer:
        assert [next(consumer).ordinal, next(consumer).ordinal] == [1, 2]
        before = consumer.token
        with pytest.raises(LossError, match=r"2 messages of partition 0 .*ordinals 3 to 4") as told:
            next(consumer)
        assert (told.value.partition, told.value.first, told.value.last) == (0, 3, 4)
        assert consumer.token == before
        assert [next(consumer).ordinal, next(consumer).ordinal] == [5, 6]
        assert consumer.counts == Counts(given=4, lost=2)


def test_history_goes_over_to_live_without_a_gap_or_a_repeat(
    broker: Broker, tmp_path: Path
) -> None:
    kafka = new_topics(broker.bootstrap)
    write_ordered(kafka, [*range(1, 1_001), *range(901, 1_201)])
    write_ordered(kafka, range(1, 51), partition=1, group="other")
    write_table(str(tmp_path), range(1, 701))
    write_table(str(tmp_path), range(701, 951))
    with OrderedConsumer(kafka, tables=str(tmp_path)) as consumer:
        read = []
        for delivery in consumer.until_end():
            read.append(delivery)
            if len(read) == 500:  # In the middle of the history more arrives.
                write_ordered(kafka, range(1_201, 1_301))
        read += consumer.until_end()
    assert [one.ordinal for one in read if one.group == "g"] == list(range(1, 1_301))
    assert [one.ordinal for one in read if one.group == "other"] == list(range(1, 51))


def test_a_message_is_the_same_from_the_table_and_from_the_topic(
    broker: Broker, tmp_path: Path
) -> None:
    kafka = new_topics(broker.bootstrap)
    write_ordered(kafka, [1])
    write_table(str(tmp_path), [1])
    with OrderedConsumer(kafka) as live, OrderedConsumer(kafka, tables=str(tmp_path)) as past:
        assert live.poll(PATIENCE) == past.poll(PATIENCE) != None  # noqa: E711


def test_what_retention_took_from_the_topic_comes_from_the_table(
    broker: Broker, tmp_path: Path
) -> None:
    kafka = new_topics(broker.bootstrap)
    write_ordered(kafka, range(1, 101))
    with OrderedConsumer(kafka, tables=_empty_table(tmp_path)) as consumer:
        read = [next(consumer).ordinal for _ in range(10)]
        token = consumer.token
    write_table(str(tmp_path), range(1, 91))
    delete_before(kafka, 80)
    with OrderedConsumer(kafka, tables=str(tmp_path), start=token) as consumer:
        assert read + all_ordinals(consumer) == list(range(1, 101))
    with OrderedConsumer(kafka, start=token) as consumer:
        with pytest.raises(LossError, match="ordinals 11 to 80"):
            next(consumer)
        assert all_ordinals(consumer) == list(range(81, 101))


def _empty_table(directory: Path) -> str:
    write_table(str(directory), [])
    return str(directory)


def test_a_topic_that_loses_its_past_while_it_is_read_tells_it(broker: Broker) -> None:
    kafka = new_topics(broker.bootstrap)
    write_ordered(kafka, range(1, 6))
    with OrderedConsumer(kafka) as consumer:
        assert all_ordinals(consumer) == [1, 2, 3, 4, 5]
        token = consumer.token
    write_ordered(kafka, range(6, 11))
    delete_before(kafka, 8)
    with OrderedConsumer(kafka, start=token) as consumer:
        with pytest.raises(LossError, match="ordinals 6 to 8"):
            next(consumer)
        assert all_ordinals(consumer) == [9, 10]


def test_the_beginning_is_the_first_message_ever_and_the_oldest_what_is_kept(
    broker: Broker,
) -> None:
    kafka = new_topics(broker.bootstrap)
    write_ordered(kafka, range(1, 11))
    delete_before(kafka, 4)
    with OrderedConsumer(kafka, start=Start.OLDEST) as consumer:
        assert all_ordinals(consumer) == [5, 6, 7, 8, 9, 10]
    with (
        OrderedConsumer(kafka) as consumer,
        pytest.raises(LossError, match=r"ordinals 1 to 4.*give tables="),
    ):
        next(consumer)


def test_the_end_gives_what_comes_and_no_repeat_of_what_was(broker: Broker) -> None:
    kafka = new_topics(broker.bootstrap)
    write_ordered(kafka, range(1, 11))
    with OrderedConsumer(kafka, start=Start.END) as consumer:
        assert consumer.poll(0.5) is None
        token = consumer.token
        write_ordered(kafka, [9, 10, 11, 12])
        assert all_ordinals(consumer) == [11, 12]
    with OrderedConsumer(kafka, start=token) as again:
        assert all_ordinals(again) == [11, 12]


def test_a_token_resumes_behind_the_last_message_that_was_given(
    broker: Broker, tmp_path: Path
) -> None:
    kafka = new_topics(broker.bootstrap)
    write_ordered(kafka, range(1, 301))
    write_ordered(kafka, range(1, 101), partition=1, group="other")
    write_table(str(tmp_path), range(1, 151))
    read: list[tuple[int, int]] = []
    start: Start | str = Start.BEGINNING
    for _ in range(9):
        with OrderedConsumer(kafka, tables=str(tmp_path), start=start) as consumer:
            for _ in range(50):
                delivery = consumer.poll(PATIENCE)
                if delivery is None:
                    break
                read.append((delivery.partition, delivery.ordinal))
                start = consumer.token
            if len(read) == 400:
                break
    assert len(read) == 400
    assert [ordinal for number, ordinal in read if number == 0] == list(range(1, 301))
    assert [ordinal for number, ordinal in read if number == 1] == list(range(1, 101))


def test_a_token_of_something_else_is_refused_with_what_to_do(broker: Broker) -> None:
    kafka, other = new_topics(broker.bootstrap), new_topics(broker.bootstrap)
    write_ordered(kafka, range(1, 6))
    with OrderedConsumer(kafka) as consumer:
        assert len(all_ordinals(consumer)) == 5
        token = consumer.token
    with pytest.raises(TokenError, match="is of the topic"):
        OrderedConsumer(other, start=token)
    with pytest.raises(TokenError, match="resume with the same groups"):
        OrderedConsumer(kafka, start=token, groups=["g"])
    with pytest.raises(TokenError, match="no resume token"):
        OrderedConsumer(kafka, start="yesterday")


def test_a_token_of_a_topic_that_was_made_anew_is_refused(broker: Broker) -> None:
    kafka = new_topics(broker.bootstrap)
    write_ordered(kafka, range(1, 6))
    with OrderedConsumer(kafka) as consumer:
        assert len(all_ordinals(consumer)) == 5
        token = consumer.token
    admin = AdminClient(client_options(kafka))
    for future in admin.delete_topics([kafka.topics.ordered]).values():
        future.result(PATIENCE)
    topics = precede_topics(prefix=kafka.topic_prefix, partitions=2)
    create_topics(broker.bootstrap, topics)
    with pytest.raises(TokenError, match="made anew"):
        OrderedConsumer(kafka, start=token)


def test_a_topic_made_anew_whose_numbers_go_on_is_followed_from_its_beginning(
    broker: Broker, tmp_path: Path
) -> None:
    kafka = new_topics(broker.bootstrap)
    write_table(str(tmp_path), range(1, 11))
    write_ordered(kafka, range(11, 41))
    with OrderedConsumer(kafka, tables=str(tmp_path)) as consumer:
        assert all_ordinals(consumer) == list(range(1, 41))


def test_only_the_groups_asked_for_are_given_and_loss_is_seen_all_the_same(
    broker: Broker, tmp_path: Path
) -> None:
    kafka = new_topics(broker.bootstrap)

    def values(ordinals: range) -> list[bytes]:
        return [
            ordered_value(number, group="other" if number % 3 else "wanted") for number in ordinals
        ]

    write_table_of(str(tmp_path), values(range(1, 16)))
    write_values(kafka, [*values(range(1, 31)), ordered_value(40, group="other")])
    with OrderedConsumer(kafka, tables=str(tmp_path), groups=["wanted"]) as consumer:
        read = [next(consumer) for _ in range(10)]
        assert [one.ordinal for one in read] == list(range(3, 31, 3))
        assert {one.group for one in read} == {"wanted"}
        with pytest.raises(LossError, match="ordinals 31 to 39"):
            next(consumer)


def test_records_that_are_none_of_ours_are_passed_over_and_counted(broker: Broker) -> None:
    kafka = new_topics(broker.bootstrap)
    write_ordered(kafka, [1])
    write_values(kafka, [b"junk"])
    write_ordered(kafka, [2])
    with OrderedConsumer(kafka) as consumer:
        assert all_ordinals(consumer) == [1, 2]
        assert consumer.counts.foreign == 1


def test_poll_gives_nothing_after_its_time_and_what_comes_later(broker: Broker) -> None:
    kafka = new_topics(broker.bootstrap)
    with OrderedConsumer(kafka) as consumer:
        assert consumer.poll(0.0) is None
        write_ordered(kafka, [1])
        delivery = consumer.poll(PATIENCE)
        assert delivery is not None
        assert delivery.ordinal == 1


def test_closing_from_another_thread_ends_the_iteration(broker: Broker) -> None:
    kafka = new_topics(broker.bootstrap)
    write_ordered(kafka, [1])
    consumer = OrderedConsumer(kafka)
    read = []
    for delivery in consumer:
        read.append(delivery.ordinal)
        threading.Timer(0.1, consumer.close).start()
    assert read == [1]
    consumer.close()
    with pytest.raises(ClosedError, match="make a new one with its token"):
        consumer.poll()


def test_what_is_not_there_is_one_sentence(broker: Broker, tmp_path: Path) -> None:
    kafka = new_topics(broker.bootstrap)
    with pytest.raises(DestinationError, match="has no topic nowhere"):
        OrderedConsumer(broker.bootstrap, topic_prefix="nowhere")
    with pytest.raises(DestinationError, match="no Delta table"):
        OrderedConsumer(kafka, tables=str(tmp_path))
    assert end_offsets(kafka, kafka.topics.ordered) == {0: 0, 1: 0}
