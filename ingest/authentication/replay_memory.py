"""The replay windows of all senders: how many there are, and which incarnations they belong to.

    (group, member, kind) ─> incarnation 4 ─> window        at most INCARNATIONS of them
                             incarnation 5 ─> window
                             incarnation 7 ─> window

A member that starts again takes a higher incarnation; messages of earlier ones may still be resent
by others, so that an old incarnation is refused only if INCARNATIONS newer ones are live (and not
even then where the settings say that what is too old is published). New incarnations come at most
so often (`NEW_INCARNATIONS_PER_S`, a few at once). The sender that was silent longest is forgotten
when there is no room: its windows begin anew.

Shared by all capture threads of an agent, so that a datagram recorded at one address and replayed
at another is a repeat too.
"""

import threading
from collections import OrderedDict
from enum import StrEnum

from ingest.authentication import bounds
from ingest.authentication.replay_window import ReplayWindow, Seen
from ingest.authentication.settings import BelowWindow
from ingest.token_bucket import TokenBucket

SenderKey = tuple[str, str, int]
"""Group, member's name, kind of envelope: each kind counts seqs of its own."""


class Freshness(StrEnum):
    """What the memory says of an authentic datagram. The values of refusals stand in tables."""

    NEW = "new"
    REPEAT = "repeat"
    REPEAT_OVER_RATE = "repeat_over_rate"
    BELOW_WINDOW = "below_window"
    OLD_INCARNATION = "old_incarnation"
    INCARNATION_OVER_RATE = "incarnation_over_rate"


class _Sender:
    """The live incarnations of one sender."""

    __slots__ = ("_below", "_maybe_repeats", "_starts", "_width", "windows")

    def __init__(self, *, width: int, below: BelowWindow) -> None:
        self.windows: dict[int, ReplayWindow] = {}
        self._width = width
        self._below = below
        self._starts = TokenBucket(
            per_second=bounds.NEW_INCARNATIONS_PER_S, burst=bounds.INCARNATIONS
        )
        self._maybe_repeats: TokenBucket | None = None

    def take(self, incarnation: int, seq: int, *, now: int) -> Freshness:
        maybe_window = self.windows.get(incarnation)
        if maybe_window is None:
            is_full = len(self.windows) >= bounds.INCARNATIONS
            if is_full and incarnation < min(self.windows):
                return self._untold(Freshness.OLD_INCARNATION, now=now)
            if not self._starts.take(now=now):
                return Freshness.INCARNATION_OVER_RATE
            if is_full:
                del self.windows[min(self.windows)]
            maybe_window = ReplayWindow(width=self._width, first=seq)
            self.windows[incarnation] = maybe_window
        seen = maybe_window.take(seq)
        if seen is Seen.NEW:
            return Freshness.NEW
        if seen is Seen.BELOW:
            return self._untold(Freshness.BELOW_WINDOW, now=now)
        return self._repeat(now=now)

    def _untold(self, refusal: Freshness, *, now: int) -> Freshness:
        """What is too old to tell whether it was seen is refused, or treated as a repeat."""
        return refusal if self._below is BelowWindow.REFUSE else self._repeat(now=now)

    def _repeat(self, *, now: int) -> Freshness:
        if self._maybe_repeats is None:
            self._maybe_repeats = TokenBucket(
                per_second=bounds.REPEATS_PER_S, burst=bounds.REPEATS_PER_S
            )
        is_within = self._maybe_repeats.take(now=now)
        return Freshness.REPEAT if is_within else Freshness.REPEAT_OVER_RATE


class ReplayMemory:
    """Remembers what authentic senders have sent. One for an agent."""

    def __init__(
        self, *, width: int, below: BelowWindow, senders: int = bounds.REPLAY_SENDERS
    ) -> None:
        self.forgotten = 0
        """How many senders had to make room."""
        self._width = width
        self._below = below
        self._most = senders
        self._senders: OrderedDict[SenderKey, _Sender] = OrderedDict()
        self._lock = threading.Lock()

    def take(self, sender: SenderKey, *, incarnation: int, seq: int, now: int) -> Freshness:
        """Say how fresh an authentic datagram is, and remember it."""
        with self._lock:
            maybe_known = self._senders.get(sender)
            if maybe_known is None:
                if len(self._senders) >= self._most:
                    self._senders.popitem(last=False)
                    self.forgotten += 1
                maybe_known = _Sender(width=self._width, below=self._below)
                self._senders[sender] = maybe_known
            else:
                self._senders.move_to_end(sender)
            return maybe_known.take(incarnation, seq, now=now)
