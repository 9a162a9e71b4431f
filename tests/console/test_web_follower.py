"""The topics flow into the model, each record once, whatever the broker does."""

from __future__ import annotations

import pytest
from confluent_kafka import Producer

from console.web.follower import Follower
from console.web.model import Model
from console.web.raw_reader import RawReader
from deploy.local.broker import Broker
from deploy.local.ports import free_ports
from sinks.cloud_events import OF_EACH, cloud_event
from sinks.kafka_client import producer_options
from sinks.settings import KafkaSettings
from tests.console.desk import Desk, said
from tests.console.pages import wait_for
from tests.sinks.ordered_topics import ordered_value
from tests.topic_tools import new_topics

pytestmark = pytest.mark.broker


def test_deliveries_waits_gaps_and_counters_arrive_and_repeats_do_not(broker: Broker) -> None:
    desk = Desk(broker.bootstrap)
    desk.say(*(said("a", number) for number in range(1, 6)))
    desk.repeat(3)
    desk.say(said("c", 1, ("b", 1), text="<b>early"))
    desk.tick()
    model = Model()
    raw = RawReader(desk.kafka)
    follower = Follower(desk.kafka, model, raw=raw)
    follower.start()
    try:
        wait_for(lambda: follower.is_caught_up, "catching up")
        wait_for(lambda: not model.unread(1), "looking up what the held message says")
        desk.repeat(2)
        desk.say(said("b", 1))
        wait_for(lambda: model.find("dev", "c#1:1"), "the delivery of what was held")
        wait_for(lambda: not model.held("dev"), "the end of the wait")
    finally:
        follower.stop()
        raw.close()
    update = model.update("dev", after_ordinal=0, after_version=0, at_most=99)
    assert [message.ordinal for message in update.messages] == list(range(1, 8))
    assert [one["status"] for one in model.gap_news()] == ["closed", "open"]
    assert model.counters()[0][0].delivered == 7


def test_cloud_events_are_shown_as_what_they_were_made_of(broker: Broker) -> None:
    kafka = new_topics(broker.bootstrap, partitions=1)
    producer = Producer(producer_options(kafka))
    for ordinal in (1, 2):
        event = cloud_event(b"g", ordered_value(ordinal), raw_topic=kafka.topics.raw)
        producer.produce(
            kafka.topics.ordered,
            value=event.value,
            key=b"g",
            partition=0,
            headers=dict(zip(OF_EACH, event.headers, strict=True)),
        )
    assert producer.flush(30) == 0
    model = Model()
    follower = Follower(kafka, model, raw=RawReader(kafka))
    follower.start()
    try:
        wait_for(lambda: follower.is_caught_up, "catching up")
    finally:
        follower.stop()
    assert model.problem == ""
    update = model.update("g", after_ordinal=0, after_version=0, at_most=99)
    assert [(one.position, one.text) for one in update.messages] == [(1, "g 1"), (2, "g 2")]


def test_what_a_held_message_says_comes_from_the_raw_topic(broker: Broker) -> None:
    desk = Desk(broker.bootstrap)
    desk.say(said("c", 1, ("b", 1), text="<b>early"))
    desk.tick()
    model = Model()
    raw = RawReader(desk.kafka)
    follower = Follower(desk.kafka, model, raw=raw)
    follower.start()
    try:
        wait_for(
            lambda: model.held("dev") and not model.unread(1), "looking up what the message says"
        )
    finally:
        follower.stop()
        raw.close()
    held = model.held("dev")["c#1:1"]
    assert (held.maybe_text, held.parents) == ("<b>early", ("b#1:1",))


def test_a_broker_that_is_away_is_told_and_the_thread_can_be_stopped() -> None:
    kafka = KafkaSettings(bootstrap=f"127.0.0.1:{free_ports(1)[0]}")
    model = Model()
    follower = Follower(kafka, model, raw=RawReader(kafka))
    follower.start()
    wait_for(lambda: "no broker answers" in model.problem, "a sentence about the broker")
    follower.stop()
    assert not follower.is_caught_up
