from pathlib import Path

import pytest
from confluent_kafka import Producer

from deploy.local.broker import Broker
from ingest.destination import FILE_NAME, ask_partitions, is_known, remember
from ingest.errors import BrokerAwayError, TopicMissingError
from ingest.kafka_options import agent_options
from ingest.publish_settings import PublishSettings
from sinks.settings import KafkaSettings
from tests.ingest.raw_topics import new_raw_topic, raw_topic_of

NOBODY = raw_topic_of(KafkaSettings(bootstrap="127.0.0.1:1"))


def test_a_broker_that_is_not_there_is_one_sentence_after_a_bounded_time() -> None:
    producer = Producer(agent_options(NOBODY, PublishSettings()))
    with pytest.raises(BrokerAwayError, match=r"127\.0\.0\.1:1 within 1 s.*kafka\.bootstrap"):
        ask_partitions(producer, NOBODY, within_s=1.0)


@pytest.mark.broker
def test_a_topic_that_is_not_there_is_one_sentence_and_is_not_created(broker: Broker) -> None:
    kafka = KafkaSettings(bootstrap=broker.bootstrap, topic_prefix="nobody-made-this")
    raw = raw_topic_of(kafka)
    producer = Producer(agent_options(raw, PublishSettings()))
    for _ in range(2):
        with pytest.raises(TopicMissingError, match=r"nobody-made-this\.raw"):
            ask_partitions(producer, raw, within_s=60.0)


@pytest.mark.broker
def test_the_topic_says_how_many_partitions_it_has(broker: Broker) -> None:
    _, raw = new_raw_topic(broker.bootstrap, partitions=5)
    producer = Producer(agent_options(raw, PublishSettings()))
    assert ask_partitions(producer, raw, within_s=60.0) == 5


def test_only_the_topic_that_was_reached_is_known(tmp_path: Path) -> None:
    assert not is_known(tmp_path, NOBODY)
    remember(tmp_path, NOBODY)
    assert is_known(tmp_path, NOBODY)
    assert not is_known(tmp_path, raw_topic_of(KafkaSettings(bootstrap="127.0.0.1:2")))
    for damaged in ("{", "[" * 100_000, "", "7"):
        (tmp_path / FILE_NAME).write_text(damaged, encoding="utf-8")
        assert not is_known(tmp_path, NOBODY)


def test_a_folder_that_refuses_costs_only_the_memory(tmp_path: Path) -> None:
    remember(tmp_path / "nowhere", NOBODY)
    assert not is_known(tmp_path / "nowhere", NOBODY)
