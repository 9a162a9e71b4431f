"""Deliveries in memory, and answers by a set difference that shares nothing with the product."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random

import numpy as np

from ingest.wire.envelope import decode
from ingest.wire.holdings import Holding
from ordering.values import MessageId
from sinks.history import IndexPart, Link
from tests.messages import wire


class Recorded:
    """What `sinks.history.History` tells, of envelopes that stand in the order of delivery."""

    def __init__(self, envelopes: Sequence[bytes], *, part: int = 7) -> None:
        self.envelopes_of_all = list(envelopes)
        self._decoded = [decode(envelope) for envelope in envelopes]
        self._part = part

    def index(self, group: str) -> Iterator[IndexPart]:
        del group
        rows = [(one.sender, one.seq, at) for at, one in enumerate(self._decoded, start=1)]
        rows = rows[::-1]  # the table promises no order
        for start in range(0, len(rows), self._part):
            part = rows[start : start + self._part]
            senders = sorted({sender for sender, _, _ in part})
            yield IndexPart(
                [str(sender) for sender in senders],
                np.array([senders.index(sender) for sender, _, _ in part]),
                np.array([seq for _, seq, _ in part]),
                np.array([at for _, _, at in part]),
            )

    def links(self, group: str, *, low: int, high: int) -> list[Link]:
        del group
        return [
            Link(at, MessageId(one.sender, one.seq), one.parents)
            for at, one in enumerate(self._decoded, start=1)
            if low <= at <= high
        ]

    def envelopes(
        self, group: str, positions: Sequence[int], *, most_bytes: int
    ) -> list[tuple[int, bytes]]:
        del group
        return [
            (at, self.envelopes_of_all[at - 1])
            for at in positions
            if len(self.envelopes_of_all[at - 1]) <= most_bytes
        ]

    def ids(self) -> list[tuple[str, int]]:
        """Every delivered id, in order."""
        return [(one.sender, one.seq) for one in self._decoded]

    def parents(self) -> dict[tuple[str, int], list[tuple[str, int]]]:
        return {
            (one.sender, one.seq): [(parent.sender, parent.seq) for parent in one.parents]
            for one in self._decoded
        }


def conversation(seed: int, *, messages: int, senders: int = 3, group: str = "g") -> list[bytes]:
    """Envelopes in an order in which they could be delivered: answers after what they answer."""
    rng = Random(seed)
    said: list[tuple[str, int]] = []
    counts = dict.fromkeys("abcdefgh"[:senders], 0)
    found = []
    for _ in range(messages):
        name = rng.choice(list(counts))
        counts[name] += 1
        count = rng.choice((0, 1, 1, 1, 2)) if said else 0
        parents = rng.sample(said, min(count, len(said)))
        found.append(wire(name, counts[name], *parents, group=group))
        said.append((name, counts[name]))
    return found


def naive_holdings(ids: set[tuple[str, int]]) -> tuple[Holding, ...]:
    """Ids as runs, by hand."""
    found = []
    for sender in sorted({sender for sender, _ in ids}):
        ends: list[int] = []
        for seq in sorted(seq for one, seq in ids if one == sender):
            if ends and ends[-1] == seq - 1:
                ends[-1] = seq
            else:
                ends += [seq, seq]
        found.append(Holding(sender, tuple(ends)))
    return tuple(found)


def naive_answer(
    recorded: Recorded,
    *,
    have: set[tuple[str, int]],
    chosen: set[tuple[str, int]],
    with_ancestors: bool,
) -> list[tuple[str, int]]:
    """(What is chosen, and what that answers) minus (what is had), in the order of delivery."""
    parents = recorded.parents()
    wanted = {one for one in chosen if one in parents and one not in have}
    grew = with_ancestors
    while grew:
        more = {up for one in wanted for up in parents[one] if up in parents and up not in have}
        grew = not more <= wanted
        wanted |= more
    return [one for one in recorded.ids() if one in wanted]


def thread_of(recorded: Recorded, root: tuple[str, int]) -> set[tuple[str, int]]:
    """A message, all that answers it, and what it answers."""
    parents = recorded.parents()
    found = {root}
    grew = True
    while grew:
        more = {one for one, ups in parents.items() if found.intersection(ups)}
        grew = not more <= found
        found |= more
    return found | set(parents.get(root, ()))
