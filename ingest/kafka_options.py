"""The options of the Kafka client that only the agent sets, by their foreign names: nowhere else.

Where the broker is, who we are, and that nothing is repeated or reordered, is the same for every
writer of a site, so the command line brings those options along; what is added here is how much
may wait in memory, and that waiting has no end: whatever Kafka does not take stays in the spool.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from ingest.publish_settings import ONE_PER_RECORD, PublishSettings
from sinks.kafka_client import pace_options

_SILENT: Final = 0
_FOR_EVER: Final = 0
_REQUEST_MS: Final = 10_000
"""A request to a broker that stands still ends after this, and the message is sent again."""

_RECONNECT_MS: Final = 1_000
_MOST_RECORDS: Final = 10_000_000
"""The bound in bytes counts; the number of records is no bound of ours."""


@dataclass(frozen=True, kw_only=True, slots=True)
class RawTopic:
    """Where captured messages go. `client_options` are those of an idempotent producer that places
    keys by murmur2; they may hold a password and are never shown.
    """

    bootstrap: str
    topic: str
    client_options: Mapping[str, Any] = field(repr=False)


def agent_options(raw: RawTopic, settings: PublishSettings) -> dict[str, Any]:
    """Give all options of the agent's producer. Called by the publisher for each session."""
    own: dict[str, Any] = {
        # The agent says in one sentence what is wrong; the client's own log would repeat it.
        "log_level": _SILENT,
        "queue.buffering.max.messages": _MOST_RECORDS,
        "queue.buffering.max.kbytes": settings.in_flight_kilobytes,
        "message.timeout.ms": _FOR_EVER,
        "socket.timeout.ms": _REQUEST_MS,
        "reconnect.backoff.max.ms": _RECONNECT_MS,
    }
    # Bundles have waited for their linger already.
    is_packed = settings.pack_bytes != ONE_PER_RECORD
    pace = pace_options(
        linger_ms=0 if is_packed else settings.linger_ms, compression=settings.compression.value
    )
    return {**raw.client_options, **pace, **own}
