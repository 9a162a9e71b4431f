"""How much of the valid traffic each sender may send, so that one can't crowd out the others.

    limits = SenderLimits(per_second=1_000)
    limits.allows(("floor", "alice"), now=now)      # proved by her tag
    limits.allows(("", "10.0.0.7"), now=now)        # an address, where nothing is proved

Off by default (`per_second` 0): an honest burst must not be lost, and only an operator knows what
honest senders send. A sender is who proved it: the member in a protected group, the address where
nothing is proved, because there anyone may use anyone's name.
"""

from collections import OrderedDict
from typing import Final

from ingest.token_bucket import TokenBucket

Sender = tuple[str, str]
"""Group and member's name, or nothing and an address."""

OFF: Final = 0
KNOWN_SENDERS: Final = 8_192
"""Buckets that are kept, some 300 bytes each. The longest silent sender makes room: its bucket
would be full again anyway, unless more than this many send at once."""

_BURST_SECONDS: Final = 2
"""A quiet sender may send this many seconds' worth at once."""


class SenderLimits:
    """A token bucket for each sender. One for each capture thread."""

    def __init__(self, *, per_second: int, senders: int = KNOWN_SENDERS) -> None:
        self._per_second = per_second
        self._most = senders
        self._buckets: OrderedDict[Sender, TokenBucket] = OrderedDict()

    @property
    def is_off(self) -> bool:
        """May everybody send as much as they like?"""
        return self._per_second == OFF

    def allows(self, sender: Sender, *, now: int) -> bool:
        """Say whether this sender may send one more at this instant."""
        if self._per_second == OFF:
            return True
        maybe_bucket = self._buckets.get(sender)
        if maybe_bucket is None:
            if len(self._buckets) >= self._most:
                self._buckets.popitem(last=False)
            per_second = self._per_second
            maybe_bucket = TokenBucket(per_second=per_second, burst=per_second * _BURST_SECONDS)
            self._buckets[sender] = maybe_bucket
        else:
            self._buckets.move_to_end(sender)
        return maybe_bucket.take(now=now)
