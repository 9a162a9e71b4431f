"""How many raw records a batch may have: as many as have so many messages.

Spark counts a bundle as one record, and an agent packs hundreds of messages into one. A job that
comes back after an hour would take the whole hour as one batch, for which no memory is enough. So
the newest records are looked at when the query starts: those that the job has to catch up on were
written by the same agents.

    200,000 messages, newest records: tick, bundle of 400, bundle of 100     800 records
    200,000 messages, newest records: tick, message, message             200,000 records
"""

from __future__ import annotations

from ingest.wire.bundle import entries_of
from ingest.wire.envelope import is_tick
from sinks.kafka_client import read_topic
from sinks.settings import KafkaSettings
from streaming.errors import broker_classified

LOOKED_AT = 50
"""Newest records of each partition."""


def most_records(kafka: KafkaSettings, *, messages: int) -> int:
    """How many raw records have so many messages, if all are packed as the newest ones are.

    Ticks do not count: where little is sent the newest records are nothing else, and where there is
    much to catch up on nobody wrote any. Raises `BrokerError` if the topics can't be read.
    """
    with broker_classified():
        sizes = [
            len(entries_of(record.value, captured_at=0))
            for topic in kafka.shards.topics
            for record in read_topic(kafka, topic, newest=LOOKED_AT)
            if not is_tick(record.value)
        ]
    return max(1, messages * len(sizes) // sum(sizes)) if sizes else messages
