"""What becomes of one captured datagram: the agent's only decision, without a socket or a client.

    decodes                          -> published, key = its group
    does not decode, within limit    -> published with an empty key; the job quarantines it
    does not decode, over the limit  -> counted by reason, not published
    decodes, and is a tick           -> counted, not published: only the job may move time on

Bad bytes take the same way as good ones so that there is one quarantine with coordinates; the
limit keeps a noisy or hostile sender from filling the topic.
"""

from collections import Counter
from collections.abc import Callable
from typing import Final

from ingest.token_bucket import TokenBucket
from ingest.wire.envelope import Kind, decode
from ingest.wire.errors import WireError

NO_GROUP: Final = b""
"""The key of what has no group that we could read."""

FOREIGN_TICK: Final = "foreign_tick"
"""The reason for a tick that came over the network."""


class Intake:
    """Decides about datagrams and counts what it refuses. One for each capture thread."""

    def __init__(self, bucket: TokenBucket, *, clock: Callable[[], int]) -> None:
        self._bucket = bucket
        self._clock = clock
        self.malformed: Counter[str] = Counter()
        """How many could not be decoded, by reason."""
        self.withheld = 0
        """How many of those were not even published."""

    def key_for(self, datagram: bytes) -> bytes | None:
        """Give the key under which to publish this datagram, or None: do not publish it."""
        try:
            envelope = decode(datagram)
        except WireError as error:
            self.malformed[error.reason.value] += 1
            if self._bucket.take(now=self._clock()):
                return NO_GROUP
            self.withheld += 1
            return None
        if envelope.kind is Kind.TICK:
            self.malformed[FOREIGN_TICK] += 1
            self.withheld += 1
            return None
        return envelope.group.encode("utf-8")
