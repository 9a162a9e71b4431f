"""A stretch of the log in which one message follows another: the way of nearly all of them.

Groups have nothing to do with each other, so a stretch is ordered group by group and written in the
order of the log: the same records come out as if each message had been taken in its turn, and a
group's memory is at hand while all of its messages are::

    log          a1 b1 a2 b2 a3
    ordered      group a: a1 a2 a3      group b: b1 b2
    written      a1 b1 a2 b2 a3

Messages in the plain case (`ordering.plain_case`) are cut, judged and written without a value made
of them. What else happens (a message is held, frees others, or is refused) is kept with the place
where it happened, and told when writing comes to that place.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from itertools import islice, repeat
from operator import add
from typing import NamedTuple, TypeAlias

from ingest.wire.message_decoder import MessageDecoder, PartsByGroup
from ordering.engine import Engine
from ordering.events import Event
from ordering.plain_case import PARTS, PLACE, Arrivals
from ordering.values import GroupId
from ordering_udfs.outputs import Outputs
from ordering_udfs.raw_rows import Entries
from ordering_udfs.shard_state import ShardState
from sinks.records import PLAIN_HEAD, PLAIN_START

ENOUGH_MESSAGES = 16_384
"""In one stretch: few enough that the parts of all of them stay in the processor's cache."""
ENOUGH_PER_GROUP = 32
"""A stretch goes on until there are so many on the average: then opening a group is cheap, whose
memory has left the processor's cache since it was touched last."""
MOST_GROUPS = 16_384
"""In one stretch, however few messages each has: the shard may put groups down behind it."""


Work: TypeAlias = tuple[GroupId, Engine]
"""A group that was touched since the last tick, and its engine."""


def _never_plain(arrivals: Arrivals, _positions: object) -> int | None:
    return arrivals.take()


class Stretch(NamedTuple):
    """Messages from the entry `begin` on."""

    begin: int
    groups: list[bytes]
    """of each message, by the bytes of its name"""
    parts: PartsByGroup
    """of all of them; their places are those in `groups`"""


class Outcome(NamedTuple):
    """What a stretch came to, by the places of its messages."""

    positions: list[int]
    """of those that were delivered plainly; 0 for the others"""
    told: dict[int, list[Event] | None]
    """what is told before a place is written; None where the entry must be looked at again"""


def stretches(entries: Entries, decoder: MessageDecoder) -> Iterator[tuple[Stretch, int | None]]:
    """Give the log as stretches, and with each the entry behind it that does not belong to one, if
    such a one has ended it.

    Whoever takes an entry that is not cut here may teach the decoder its shape, so nothing is cut
    ahead of it.
    """
    rest = iter(entries.contents)
    begin, end = 0, len(entries.contents)
    while begin < end:
        groups: list[bytes] = []
        parts: PartsByGroup = defaultdict(list)
        more = min(ENOUGH_MESSAGES, end - begin)
        maybe_behind = None
        while more > 0:
            enough = len(groups) + more
            decoder.cut(islice(rest, more), groups, parts)
            if len(groups) < enough:
                maybe_behind = begin + len(groups)
                break
            # So many until each group may have enough, or there may be too many groups.
            more = min(ENOUGH_PER_GROUP * len(parts) - enough, MOST_GROUPS - len(parts))
            more = min(more, end - begin - enough)
        yield Stretch(begin, groups, parts), maybe_behind
        begin += len(groups) + (maybe_behind is not None)


def order(
    stretch: Stretch,
    entries: Entries,
    *,
    open_work: Callable[[bytes], tuple[Work | None, list[Event]]],
    decoder: MessageDecoder,
    now: int,
) -> Outcome:
    """Give every message of a stretch to its group's engine.

    `open_work` gives a group's work and what its engine has to tell first; None if the bytes name
    no group of this shard.
    """
    begin, groups, all_parts = stretch
    longest = decoder.longest
    positions = [0] * len(groups)
    told: dict[int, list[Event] | None] = {}
    for key, parts in all_parts.items():
        maybe_work, overdue = open_work(key)
        if maybe_work is None:
            told.update(zip(parts[PLACE::PARTS], repeat(None)))
            continue
        if overdue:
            told[parts[PLACE]] = overdue
        _, engine = maybe_work
        deliver = engine.plain_case() or _never_plain
        arrivals = Arrivals(parts, longest)
        while (place := deliver(arrivals, positions)) is not None:
            at = begin + place
            _, maybe_message = decoder.decode(entries.contents[at], entries.origin(at))
            assert maybe_message is not None, "parts are of messages only"
            events = engine.receive(maybe_message, now=now)
            told[place] = [*(told.get(place) or ()), *events]
    return Outcome(positions, told)


def write(
    stretch: Stretch,
    outcome: Outcome,
    entries: Entries,
    *,
    outputs: Outputs,
    state: ShardState,
    take: Callable[[int], None],
) -> None:
    """Write what a stretch came to, in the order of the log; `take` looks at an entry again."""
    written = 0
    for place in sorted(outcome.told):
        _write_plain(stretch, outcome, entries, outputs, state, written, place)
        maybe_events = outcome.told[place]
        if maybe_events is None:
            take(stretch.begin + place)
        else:
            key = stretch.groups[place]
            for event in maybe_events:
                outputs.tell(key, event)
        written = place if outcome.positions[place] else place + 1
    _write_plain(stretch, outcome, entries, outputs, state, written, len(stretch.groups))


def _write_plain(
    stretch: Stretch,
    outcome: Outcome,
    entries: Entries,
    outputs: Outputs,
    state: ShardState,
    first: int,
    end: int,
) -> None:
    """Write deliveries that follow one another. None of them ends a wait: it was captured after the
    last tick.
    """
    if first == end:
        return
    here = slice(stretch.begin + first, stretch.begin + end)
    heads = map(
        PLAIN_HEAD.pack,
        repeat(PLAIN_START),
        range(state.delivered + 1, state.delivered + 1 + end - first),
        outcome.positions[first:end],
        repeat(state.partition),
        entries.numbers[here],
        entries.offsets[here],
        entries.captured_at[here],
    )
    outputs.ordered.values += map(add, heads, entries.contents[here])
    outputs.ordered.keys += stretch.groups[first:end]
    state.delivered += end - first
