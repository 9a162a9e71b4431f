"""Another client reads what ours wrote, and reads the same: bundles, headers, compression."""

from pathlib import Path

import pytest

from deploy.local.broker import Broker
from sinks.errors import DestinationError
from sinks.kafka_client import read_topic
from sinks.second_client import read_topic_again, second_client_options
from sinks.settings import KafkaSettings, SecurityProtocol
from tests.conversations import shuffled_conversation
from tests.topic_tools import new_topics, produce, produce_packed, produce_to


def test_the_password_reaches_the_client_and_nothing_else(tmp_path: Path) -> None:
    file = tmp_path / "password"
    file.write_text("secret!\n", encoding="utf-8")
    file.chmod(0o600)
    kafka = KafkaSettings(
        security_protocol=SecurityProtocol.SASL_SSL, username="edge", password_file=file
    )
    options = second_client_options(kafka)
    assert options["sasl_plain_password"] == "secret!"
    assert options["security_protocol"] == "SASL_SSL"
    assert "secret!" not in repr(kafka)


def test_nothing_is_committed_or_created_by_reading() -> None:
    options = second_client_options(KafkaSettings())
    assert options["enable_auto_commit"] is False
    assert options["allow_auto_create_topics"] is False


@pytest.mark.broker
def test_both_clients_read_the_same_from_every_topic(broker: Broker) -> None:
    kafka = new_topics(broker.bootstrap)
    log = shuffled_conversation(seed=3, groups=4, messages=400)
    produce(kafka, log[:200])
    produce_packed(kafka, log[200:], entries=25)
    topics = kafka.topics
    for topic in (topics.ordered, topics.quarantine, topics.counters):
        produce_to(kafka, topic, [(b"key %d" % n, b"value %d" % n) for n in range(50)])
    for topic in (topics.raw, topics.ordered, topics.quarantine, topics.counters):
        expected = list(read_topic(kafka, topic))
        assert len(expected) > 20
        assert list(read_topic_again(kafka, topic)) == expected


@pytest.mark.broker
def test_a_topic_that_is_not_there_is_one_sentence(broker: Broker) -> None:
    kafka = KafkaSettings(bootstrap=broker.bootstrap)
    with pytest.raises(DestinationError, match="no topic nowhere"):
        list(read_topic_again(kafka, "nowhere"))
