"""Spark's own topic sink, with the options that make it as safe and as fast as the job's writer.

The job does not use it; what it is measured against does.
"""

from __future__ import annotations

from sinks.settings import KafkaSettings
from streaming.spark_options import BROKER_PATIENCE_MS, client_options

# The largest record that a client may send; its own default is smaller than the largest message.
MOST_REQUEST_BYTES = 16 << 20


def sink_options(kafka: KafkaSettings) -> dict[str, str]:
    """Options of a write to topics; the rows name topic and partition."""
    return client_options(kafka) | {
        "kafka.acks": "all",
        "kafka.enable.idempotence": "true",
        # With more, a request that a partition without a leader refuses would come behind the next
        # one, and readers, who take what goes back for repeats, would drop it. Larger batches make
        # up for it.
        "kafka.max.in.flight.requests.per.connection": "1",
        "kafka.batch.size": "524288",
        "kafka.compression.type": "lz4",
        "kafka.linger.ms": "5",
        # The topic's own bound is the one that counts.
        "kafka.max.request.size": str(MOST_REQUEST_BYTES),
        "kafka.max.block.ms": str(BROKER_PATIENCE_MS),
        "kafka.delivery.timeout.ms": str(BROKER_PATIENCE_MS + 5),
    }
