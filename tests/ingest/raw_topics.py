"""A raw topic of one's own on the real broker, written as the agent writes it and read back."""

from ingest.kafka_options import RawTopic
from sinks.kafka_client import TopicRecord, producer_options, read_topic
from sinks.settings import KafkaSettings
from tests.topic_tools import new_topics


def new_raw_topic(bootstrap: str, *, partitions: int = 2) -> tuple[KafkaSettings, RawTopic]:
    """Create fresh topics and say how an agent reaches the raw one."""
    kafka = new_topics(bootstrap, partitions=partitions)
    return kafka, raw_topic_of(kafka)


def raw_topic_of(kafka: KafkaSettings) -> RawTopic:
    """The raw topic of these settings, with the options that every writer of a site has."""
    return RawTopic(
        bootstrap=kafka.bootstrap,
        topic=kafka.topics.raw,
        client_options=producer_options(kafka),
    )


def records_of(kafka: KafkaSettings) -> list[TopicRecord]:
    """All that the raw topic holds, partition by partition."""
    return list(read_topic(kafka, kafka.topics.raw))
