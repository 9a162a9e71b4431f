"""Which deliveries a request is answered with: (what it wants) minus (what its sender has).

    wanted       what is chosen                                       and what those answer
    everything   all that was delivered                               is among it
    last n       the n last positions of the group                    yes, all the way up
    thread       a message and all that answers it                    yes, all the way up
    exactly      the named seqs                                       yes, all the way up
    nothing      nothing: only what there is, as runs

Without what a message answers, a member could not deliver it. Of what is chosen the requester gets
what it lacks, in the order of positions, as much as one answer may hold; the rest is counted.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

from ingest.wire.synchronisation import Request, Wanted
from ordering import runs as run
from ordering.runs import Runs
from ordering.values import MemberId, MessageId

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import numpy as np
    import numpy.typing as npt

    from sinks.history import IndexPart, Link

ANSWER_MESSAGES: Final = 16_384
"""Messages in one answer, as many as a member keeps itself; who lacks more asks again."""

WINDOW: Final = 65_536
"""Positions whose links are looked at together, on the way up or down a thread."""


class Deliveries(Protocol):
    """What `sinks.history.History` tells of a group."""

    def index(self, group: str) -> Iterator[IndexPart]:
        """Every delivery, in no order."""
        ...

    def links(self, group: str, *, low: int, high: int) -> list[Link]:
        """The deliveries between two positions, in their order."""
        ...


class Choice(NamedTuple):
    """What a request is answered with."""

    positions: list[int]
    """ascending; the first of all that the requester wants and lacks"""
    total: int
    """how many it wants and lacks altogether"""
    there: dict[MemberId, Runs]
    """everything that was delivered to the group"""


class Requester:
    """What a requester has, as far as it says."""

    def __init__(self, request: Request) -> None:
        self._had = {holding.member: list(holding.runs) for holding in request.have}
        self._closed = {one.member: one.runs[-1:] for one in request.have if not one.is_open}
        self._is_whole = request.is_whole

    def lacks(self, message_id: MessageId) -> bool:
        """Tell whether it does not have a message; False also where it says nothing."""
        maybe_runs = self._had.get(message_id.sender)
        if maybe_runs is None:
            return self._is_whole
        if run.contains(maybe_runs, message_id.seq):
            return False
        maybe_end = self._closed.get(message_id.sender)
        return maybe_end is None or (bool(maybe_end) and message_id.seq < maybe_end[0])

    def lacking(self, part: IndexPart) -> npt.NDArray[np.bool_]:
        """The same for many messages at once."""
        import numpy as np

        lacks = np.full(len(part.seqs), self._is_whole)
        for code, sender in enumerate(part.senders):
            maybe_runs = self._had.get(sender)
            if maybe_runs is None:
                continue
            mine = part.codes == code
            seqs = part.seqs[mine]
            fresh = ~covered(seqs, maybe_runs)
            maybe_end = self._closed.get(sender)
            if maybe_end is not None:
                fresh &= seqs < (maybe_end[0] if maybe_end else 0)
            lacks[mine] = fresh
        return lacks


def covered(numbers: npt.NDArray[np.int64], runs: Runs) -> npt.NDArray[np.bool_]:
    """Tell for each number whether a run covers it."""
    import numpy as np

    if not runs:
        return np.zeros(len(numbers), dtype=bool)
    lows, highs = np.array(runs[::2]), np.array(runs[1::2])
    place = np.searchsorted(lows, numbers, side="right") - 1
    result: npt.NDArray[np.bool_] = (place >= 0) & (numbers <= highs[place])
    return result


def choose(
    deliveries: Deliveries, group: str, request: Request, *, most: int = ANSWER_MESSAGES
) -> Choice:
    """Choose what to answer; one pass over the group, and for some wishes a walk along its links.

    1. Look at every delivery: what there is, and what of the wish the requester lacks.
    2. For a thread: walk down from its root, to whatever answers it.
    3. Where a wish leaves out the older: walk up to what the chosen ones answer.
    """
    there: dict[MemberId, Runs] = {}
    requester = Requester(request)
    collector = _Collector(request, most=most)
    for part in deliveries.index(group):
        _add_runs(there, part)
        collector.take(part, requester.lacking(part))
    if request.wanted in (Wanted.EVERYTHING, Wanted.NOTHING):
        return Choice(collector.positions(), collector.count, there)
    last = collector.last_position
    if request.maybe_thread is not None:
        root = MessageId(MemberId(request.maybe_thread[0]), request.maybe_thread[1])
        chosen, wanted = _thread(deliveries, group, root, requester=requester, last=last)
    else:
        chosen, wanted = set(collector.positions()), set[MessageId]()
    _add_ancestors(deliveries, group, chosen, wanted, requester=requester, there=there, last=last)
    positions = sorted(chosen)
    return Choice(positions[:most], len(positions), there)


class _Collector:
    """Keeps the positions of a wish while the index goes by, and never more than it may give."""

    def __init__(self, request: Request, *, most: int) -> None:
        import numpy as np

        self._wanted = request.wanted
        self._last = request.last
        self._exactly = {holding.member: list(holding.runs) for holding in request.exactly}
        self._most = most
        self._kept: npt.NDArray[np.int64] = np.zeros(0, dtype=np.int64)
        self.count = 0
        self.last_position = 0

    def take(self, part: IndexPart, lacks: npt.NDArray[np.bool_]) -> None:
        """Look at some deliveries, of which the requester lacks these."""
        import numpy as np

        self.last_position = max(self.last_position, int(part.positions.max(initial=0)))
        if self._wanted is Wanted.EXACTLY:
            named = np.zeros(len(lacks), dtype=bool)
            for code, sender in enumerate(part.senders):
                if sender in self._exactly:
                    mine = part.codes == code
                    named[mine] = covered(part.seqs[mine], self._exactly[sender])
            lacks = lacks & named
        elif self._wanted not in (Wanted.EVERYTHING, Wanted.LAST):
            return
        fresh = part.positions[lacks]
        self.count += len(fresh)
        self._kept = np.concatenate((self._kept, fresh))
        if self._wanted is Wanted.EVERYTHING and len(self._kept) > self._most:
            self._kept = np.partition(self._kept, self._most - 1)[: self._most]
        elif self._wanted is Wanted.LAST:
            self._kept = self._kept[self._kept > self.last_position - self._last]

    def positions(self) -> list[int]:
        """What was kept, ascending."""
        import numpy as np

        kept: list[int] = np.sort(self._kept).tolist()
        return kept


def _add_runs(there: dict[MemberId, Runs], part: IndexPart) -> None:
    import numpy as np

    for code, sender in enumerate(part.senders):
        seqs = np.sort(part.seqs[part.codes == code])
        if not len(seqs):
            continue
        breaks = np.flatnonzero(np.diff(seqs) > 1)
        lows = seqs[np.concatenate(([0], breaks + 1))].tolist()
        highs = seqs[np.concatenate((breaks, [len(seqs) - 1]))].tolist()
        flat = [end for pair in zip(lows, highs, strict=True) for end in pair]
        pid = MemberId(sender)
        there[pid] = run.union(there[pid], flat) if pid in there else flat


def _thread(
    deliveries: Deliveries, group: str, root: MessageId, *, requester: Requester, last: int
) -> tuple[set[int], set[MessageId]]:
    """Walk down from a root: the positions that are lacking, and what the root answers.

    An answer's position is greater than that of what it answers, so one walk finds all of them.
    """
    below = {root}
    chosen: set[int] = set()
    above: set[MessageId] = set()
    is_begun = False
    for low in range(1, last + 1, WINDOW):
        for link in deliveries.links(group, low=low, high=min(last, low + WINDOW - 1)):
            if link.id == root:
                is_begun = True
                above.update(link.parents)
            elif not is_begun or below.isdisjoint(link.parents):
                continue
            below.add(link.id)
            if requester.lacks(link.id):
                chosen.add(link.position)
    return chosen, {one for one in above if requester.lacks(one)}


def _add_ancestors(
    deliveries: Deliveries,
    group: str,
    chosen: set[int],
    wanted: set[MessageId],
    *,
    requester: Requester,
    there: dict[MemberId, Runs],
    last: int,
) -> None:
    """Walk up from the chosen positions, and from what is `wanted`, as far as anything is lacking.

    What a message answers stands at a lesser position. So the walk goes down through the positions,
    and where it looks for nothing it goes on at the next chosen one.
    """
    original = sorted(chosen)
    high = last if wanted else (original[-1] if original else 0)
    while high > 0:
        low = max(1, high - WINDOW + 1)
        for link in reversed(deliveries.links(group, low=low, high=high)):
            if link.id in wanted:
                wanted.discard(link.id)
                chosen.add(link.position)
            elif link.position not in chosen:
                continue
            wanted.update(_reachable(link.parents, requester=requester, there=there))
        high = low - 1
        if not wanted:
            place = bisect_left(original, low)
            high = original[place - 1] if place else 0


def _reachable(
    ids: Iterable[MessageId], *, requester: Requester, there: dict[MemberId, Runs]
) -> list[MessageId]:
    return [
        one
        for one in ids
        if requester.lacks(one) and run.contains(there.get(one.sender, []), one.seq)
    ]
