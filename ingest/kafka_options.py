"""The options of the Kafka client that the agent uses, by their foreign names: nowhere else.

The agent writes to one topic only, so that it needs no right but to write and describe that one.
"""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from ingest.settings import AgentSettings

_SASL_MECHANISM: Final = "SCRAM-SHA-512"
_SILENT: Final = 0

OptionValue = str | int | bool


@dataclass(frozen=True, kw_only=True, slots=True)
class RawTopic:
    """Where captured messages go, and how the agent proves who it is. Made by the command line."""

    bootstrap: str
    topic: str
    security_protocol: str = "plaintext"
    maybe_ca_file: Path | None = None
    maybe_username: str | None = None
    maybe_password: str | None = field(default=None, repr=False)


def producer_options(raw: RawTopic, settings: AgentSettings) -> dict[str, OptionValue]:
    """Give the options of a producer that neither repeats, reorders nor loses what it accepted.

    It places a key as Kafka's Java client does, so that agents and job agree on partitions.
    """
    return {
        **_connection_options(raw),
        "enable.idempotence": True,
        "acks": "all",
        "compression.type": "lz4",
        "partitioner": "murmur2_random",
        "linger.ms": settings.linger_ms,
        "queue.buffering.max.messages": settings.queue_messages,
        "queue.buffering.max.kbytes": settings.queue_kilobytes,
        "message.timeout.ms": settings.broker_away_after_ms,
        # A request to a broker that stands still must end before the message's own time does.
        "socket.timeout.ms": max(1_000, settings.broker_away_after_ms // 2),
        "reconnect.backoff.max.ms": 1_000,
        # Successes are counted as what left the queue without an error: a call into Python for
        # every single message would cost more than all the rest of publishing.
        "delivery.report.only.error": True,
    }


def _connection_options(raw: RawTopic) -> dict[str, OptionValue]:
    options: dict[str, OptionValue] = {
        "bootstrap.servers": raw.bootstrap,
        "security.protocol": raw.security_protocol,
        # The agent says in one sentence what is wrong; the client's own log would repeat it.
        "log_level": _SILENT,
    }
    if raw.maybe_ca_file is not None:
        options["ssl.ca.location"] = str(raw.maybe_ca_file)
    if raw.maybe_username is not None and raw.maybe_password is not None:
        options["sasl.mechanism"] = _SASL_MECHANISM
        options["sasl.username"] = raw.maybe_username
        options["sasl.password"] = raw.maybe_password
    return options
