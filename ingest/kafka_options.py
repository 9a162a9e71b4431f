"""The options of the Kafka client that only the agent sets, by their foreign names: nowhere else.

Where the broker is, who we are, and that nothing is repeated or reordered, is the same for every
writer of a site, so the command line brings those options along; what is added here is how much
may wait in memory and for how long.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from ingest.settings import AgentSettings

_SILENT: Final = 0
_SHORTEST_REQUEST_MS: Final = 1_000


@dataclass(frozen=True, kw_only=True, slots=True)
class RawTopic:
    """Where captured messages go. `client_options` are those of an idempotent producer that places
    keys by murmur2; they may hold a password and are never shown.
    """

    bootstrap: str
    topic: str
    client_options: Mapping[str, Any] = field(repr=False)


def agent_options(raw: RawTopic, settings: AgentSettings) -> dict[str, Any]:
    """Give all options of the agent's producer. Called once, by the publisher."""
    return {
        **raw.client_options,
        # The agent says in one sentence what is wrong; the client's own log would repeat it.
        "log_level": _SILENT,
        "queue.buffering.max.messages": settings.queue_messages,
        "queue.buffering.max.kbytes": settings.queue_kilobytes,
        "message.timeout.ms": settings.broker_away_after_ms,
        # A request to a broker that stands still must end before the message's own time does.
        "socket.timeout.ms": max(_SHORTEST_REQUEST_MS, settings.broker_away_after_ms // 2),
        "reconnect.backoff.max.ms": _SHORTEST_REQUEST_MS,
        # Successes are counted as what left the queue without an error: a call into Python for
        # every single message would cost more than all the rest of publishing.
        "delivery.report.only.error": True,
    }
