"""The agent's metrics: every name with its meaning.

The table below is what the agent runs on, and docs/edge/metrics.md is made from it:

    python -m ingest.metrics > docs/edge/metrics.md
"""

from typing import Final

from ingest.telemetry.exposition import Exposition, Metric, MetricKind
from ingest.vitals import Vitals

PREFIX: Final = "precede_agent_"

_COUNTER, _GAUGE = MetricKind.COUNTER, MetricKind.GAUGE

METRICS: Final[tuple[Metric[Vitals], ...]] = (
    Metric("received_total", _COUNTER, "Datagrams that the kernel handed over.",
           lambda v: v.counters.received),
    Metric("kernel_drops_total", _COUNTER, "Datagrams that the kernel had no room for.",
           lambda v: v.counters.kernel_drops),
    Metric("oversized_total", _COUNTER, "Datagrams that were longer than any may be.",
           lambda v: v.counters.oversized),
    Metric("left_out_total", _COUNTER, "Records of a file that gave no datagram, by reason.",
           lambda v: v.counters.left_out, ("reason",)),
    Metric("malformed_total", _COUNTER, "Datagrams that are no envelope, by reason.",
           lambda v: v.counters.malformed, ("reason",)),
    Metric("refused_total", _COUNTER, "Envelopes that may not pass, by reason.",
           lambda v: v.counters.refused, ("reason",)),
    Metric("withheld_total", _COUNTER,
           "Malformed and refused datagrams of which not even a sample was published.",
           lambda v: v.counters.withheld),
    Metric("passed_over_total", _COUNTER,
           "Envelopes that members sent each other to synchronise: nothing to order.",
           lambda v: v.counters.passed_over),
    Metric("repeats_total", _COUNTER, "Authentic messages that were seen before.",
           lambda v: v.counters.repeats),
    Metric("published_total", _COUNTER, "Messages that Kafka has acknowledged.",
           lambda v: v.counters.published),
    Metric("unpublishable_total", _COUNTER, "Messages that are too long for Kafka.",
           lambda v: v.counters.unpublishable),
    Metric("blocked_total", _COUNTER, "How often a capture had to wait for room in the spool.",
           lambda v: v.counters.blocked),
    Metric("groups", _GAUGE, "Multicast groups that are joined.", lambda v: v.groups),
    Metric("receive_buffer_bytes", _GAUGE, "The kernel's buffer for a group, asked for and got.",
           lambda v: {"asked": v.counters.receive_buffer_asked_bytes,
                      "got": v.counters.receive_buffer_got_bytes}, ("what",)),
    Metric("kafka_up", _GAUGE, "1 if Kafka answers, 0 if messages wait for it.",
           lambda v: v.has_kafka_answered and not v.is_kafka_away),
    Metric("kafka_sessions_total", _COUNTER,
           "Sessions of the producer; after a new one messages may be in the topic twice.",
           lambda v: v.kafka_sessions),
    Metric("kafka_records_total", _COUNTER, "Records that Kafka has acknowledged.",
           lambda v: v.kafka_records),
    Metric("spool_waiting_messages", _GAUGE, "Messages that wait in the spool for Kafka.",
           lambda v: v.counters.waiting),
    Metric("spool_recovered_messages", _GAUGE, "Messages of an earlier run, found at the start.",
           lambda v: v.counters.recovered),
    Metric("spool_bytes", _GAUGE, "What the spool takes on the disk.", lambda v: v.spool_bytes),
    Metric("spool_maximum_bytes", _GAUGE, "What the spool may take on the disk.",
           lambda v: v.spool_maximum_bytes),
    Metric("spool_pending_bytes", _GAUGE, "What waits in memory for the disk.",
           lambda v: v.spool_pending_bytes),
    Metric("spool_durable_sequence", _GAUGE,
           "The number of the last message that a power cut would not take.",
           lambda v: v.spool_durable),
    Metric("spool_cursor_sequence", _GAUGE,
           "The number up to which Kafka has acknowledged everything.", lambda v: v.spool_cursor),
    Metric("spool_dropped_total", _COUNTER, "Messages given up because the spool was full.",
           lambda v: v.counters.dropped),
    Metric("spool_missing_total", _COUNTER, "Messages that damaged files have taken.",
           lambda v: v.counters.missing),
    Metric("spool_damaged_bytes_total", _COUNTER,
           "Bytes of the files that are no records: torn at the start, or damaged since.",
           lambda v: v.spool_damaged_bytes),
    Metric("spool_syncs_total", _COUNTER, "How often the disk was asked to keep what it has.",
           lambda v: v.spool_syncs),
    Metric("spool_disk_failures_total", _COUNTER, "How often the disk refused something.",
           lambda v: v.spool_disk_failures),
    Metric("spool_disk_up", _GAUGE, "1 if the disk takes the spool.",
           lambda v: v.maybe_disk_trouble is None),
    Metric("spool_full", _GAUGE, "1 if the capture stands still for want of room.",
           lambda v: v.is_spool_full),
    Metric("looked_before_seconds", _GAUGE, "How long ago the main loop last came round.",
           lambda v: v.looked_before_s),
)  # fmt: skip


EXPOSITION: Final = Exposition(PREFIX, METRICS)


def render(vitals: Vitals) -> str:
    """Write all metrics as Prometheus reads them."""
    return EXPOSITION.render(vitals)


def reference_page() -> str:
    """The page that lists them all."""
    head = (
        "# The agent's metrics\n\n"
        "At `http://127.0.0.1:9480/metrics` (`agent.status_address`), in Prometheus' text form.\n"
        "Counters start at 0 with the agent. This page is made from the code:\n"
        "`python -m ingest.metrics > docs/edge/metrics.md`.\n\n"
    )
    return head + EXPOSITION.table()


if __name__ == "__main__":
    print(reference_page(), end="")
