"""A raw topic of one's own on the real broker, written as the agent writes it and read back."""

from pathlib import Path
from typing import NamedTuple

from ingest.agent import AgentPlan
from ingest.authentication.settings import AuthenticationSettings
from ingest.kafka_options import RawTopic
from ingest.settings import AgentSettings
from ingest.spool.settings import SpoolSettings
from ingest.wire.bundle import entries_of
from ingest.wire.envelope import Kind, decode
from ingest.wire.errors import WireError
from sinks.kafka_client import TopicRecord, end_offsets, producer_options, read_topic
from sinks.settings import KafkaSettings
from tests.topic_tools import new_topics


class Stored(NamedTuple):
    """One captured datagram as it stands in the raw topic."""

    partition: int
    captured_at: int
    value: bytes


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


def plan_of(
    settings: AgentSettings,
    directory: Path,
    authentication: AuthenticationSettings | None = None,
) -> AgentPlan:
    """An agent with these settings and a spool in a folder of its own."""
    return AgentPlan(
        agent=settings,
        spool=SpoolSettings(directory=str(directory / "spool"), sync_every_ms=5),
        authentication=authentication or AuthenticationSettings(),
    )


def records_of(kafka: KafkaSettings) -> list[TopicRecord]:
    """All records of the raw topic, packed as they are, partition by partition.

    Nobody writes it in transactions, so each offset is a record, and none may be passed over.
    """
    ends = end_offsets(kafka, kafka.topics.raw)
    records = list(read_topic(kafka, kafka.topics.raw))
    for partition, end in ends.items():
        mine = [r.offset for r in records if r.partition == partition and r.offset < end]
        assert mine == list(range(end)), f"partition {partition}: {len(mine)} of {end} were read"
    return records


def stored_in(kafka: KafkaSettings) -> list[Stored]:
    """All that the raw topic holds, unpacked, partition by partition."""
    return [
        Stored(record.partition, *entry)
        for record in records_of(kafka)
        for entry in entries_of(record.value, captured_at=0)
    ]


def values_in(kafka: KafkaSettings) -> list[bytes]:
    """The bytes of all that the raw topic holds."""
    return [stored.value for stored in stored_in(kafka)]


def messages_in(kafka: KafkaSettings) -> list[bytes]:
    """The bytes of all messages in the raw topic: no refusal, no notice."""
    return [value for value in values_in(kafka) if is_message(value)]


def is_message(value: bytes) -> bool:
    """Is this an envelope that carries a message?"""
    try:
        return decode(value).kind is Kind.MESSAGE
    except WireError:
        return False
