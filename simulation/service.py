"""The service role: one log per group, read by offset, in batches, through crashes.

The edges of a world append what they capture to the group's log, and the world appends ticks. The
log alone decides: `now` is the instant of the last tick before a record, exactly as in the job.

The same log is then put through the engine three times:

1. plainly, one record at a time: this run is what the checkers judge;
2. in batches, cut at random: the events must be those of the plain run, batch by batch;
3. in batches with crashes, as the job hands messages over: one by one, and those in the plain case
   by their parts alone. The engine is rebuilt from its bytes before some of the batches, and some
   are done in part first, by a process that then dies. What the dead process said and what its
   successor says must both be what the plain run said.

    offsets   0 1 2 | 3 4 5 6 | 7 8
    batch 2:        restore bytes(2), 3, 4, crash; restore bytes(2), 3, 4, 5, 6, commit bytes(6)
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from random import Random
from typing import Final, NamedTuple, TypeAlias

from ordering.engine import Engine
from ordering.events import Delivered, Event
from ordering.plain_case import Arrivals
from ordering.values import Message
from simulation.endpoint import TICK, Endpoint, describe_fault, revive, snapshot_bytes
from simulation.history import Entry

REBUILDS_PER_LOG: Final = 6
"""Before so many batches the engine is rebuilt, besides those in which a process dies. One rebuild
costs as much as receiving all that is held."""


class Record(NamedTuple):
    """One record of a log: a message, or a tick if there is none."""

    entry_index: int
    now: int
    maybe_message: Message | None


class Log:
    """A group's log. An offset is a place in `records`."""

    def __init__(self) -> None:
        self.records: list[Record] = []
        self.now = 0
        self.captured: set[int] = set()

    def append(self, entry: Entry) -> None:
        """Capture a message. Its origin says at which offset, so each capture has its own."""
        origin = (entry.number, len(self.records))
        message = entry.message._replace(origin=origin)
        self.records.append(Record(entry.number, self.now, message))
        self.captured.add(entry.number)

    def tick(self, now: int) -> None:
        """Let the log's time pass."""
        self.now = now
        self.records.append(Record(TICK, now, None))


class Difference(NamedTuple):
    """The first batch whose events were not those of the plain run."""

    from_offset: int
    until_offset: int
    expected: list[Event]
    said: list[Event]
    maybe_fault: str | None = None  # what the engine raised, if it did


def read_plainly(log: Log, *, endpoint: Endpoint, from_offset: int = 0) -> None:
    """Give an endpoint the rest of a log, record by record."""
    for record in log.records[from_offset:]:
        if record.maybe_message is None:
            endpoint.tick(record.now)
        else:
            endpoint.hand_over(record.maybe_message, entry_index=record.entry_index, now=record.now)


def cut(log: Log, *, largest_batch: int, rng: Random) -> list[int]:
    """Where the batches of a run begin, and where the last one ends."""
    end = len(log.records)
    cuts = [0]
    while cuts[-1] < end:
        cuts.append(min(end, cuts[-1] + 1 + int(rng.random() * largest_batch)))
    return cuts


def read_in_batches(log: Log, *, plain: Endpoint, cuts: list[int]) -> Difference | None:
    """The second run: whole batches, no crash."""
    engine = Engine(plain.policy)
    for span in pairwise(cuts):
        maybe_difference = _read_batch(log, engine=engine, plain=plain, span=span, say=_at_once)
        if maybe_difference is not None:
            return maybe_difference
    return None


def read_with_crashes(
    log: Log, *, plain: Endpoint, cuts: list[int], rebuilds: set[int], deaths: dict[int, float]
) -> tuple[Difference | None, int]:
    """The third run. Also says how often an engine was rebuilt.

    `rebuilds` are the numbers of batches before which the engine is rebuilt; `deaths` those that a
    process does in part first, and what part.
    """
    engine = Engine(plain.policy)
    rebuilt = 0
    for number, (start, end) in enumerate(pairwise(cuts)):
        spans = [(start, end)]
        if number in deaths:
            spans.insert(0, (start, start + int(deaths[number] * (end - start))))
        data = snapshot_bytes(engine) if number in rebuilds or number in deaths else b""
        for span in spans:
            if data:
                try:
                    engine = revive(plain.policy, data)
                except Exception as fault:
                    return Difference(span[0], span[1], [], [], describe_fault(fault)), rebuilt
                rebuilt += 1
            maybe_difference = _read_batch(
                log, engine=engine, plain=plain, span=span, say=_as_the_job_does
            )
            if maybe_difference is not None:
                return maybe_difference, rebuilt
    return None, rebuilt


def plan_crashes(
    cuts: list[int], *, crashes: int, rng: Random
) -> tuple[set[int], dict[int, float]]:
    """Before which batches the engine is rebuilt, and which are done in part first."""
    batches = len(cuts) - 1
    rebuilds = {int(rng.random() * batches) for _ in range(REBUILDS_PER_LOG)}
    deaths = {int(rng.random() * batches): rng.random() for _ in range(crashes)}
    return rebuilds, deaths


def read_with_crashes_everywhere(log: Log, *, plain: Endpoint) -> Difference | None:
    """The third run at its hardest: a batch per record. Used to shorten what failed."""
    every = list(range(len(log.records) + 1))
    difference, _ = read_with_crashes(log, plain=plain, cuts=every, rebuilds=set(every), deaths={})
    return difference


Say: TypeAlias = Callable[[list[Record], Engine], list[Event]]
"""How records are handed to an engine; gives what it says."""


def _read_batch(
    log: Log, *, engine: Engine, plain: Endpoint, span: tuple[int, int], say: Say
) -> Difference | None:
    """Do one batch and compare what was said with the plain run."""
    start, end = span
    expected = [event for step in plain.steps[start:end] for event in step.events]
    try:
        said = say(log.records[start:end], engine)
    except Exception as fault:
        return Difference(start, end, expected, [], describe_fault(fault))
    return None if said == expected else Difference(start, end, expected, said)


def _at_once(records: list[Record], engine: Engine) -> list[Event]:
    """Messages between two ticks go in together, and ticks one by one."""
    said: list[Event] = []
    waiting: list[Message] = []
    now = 0
    for record in records:
        if record.maybe_message is not None:
            waiting.append(record.maybe_message)
            now = record.now
            continue
        if waiting:
            said += engine.receive_all(waiting, now=now)
            waiting = []
        said += engine.advance(record.now)
    if waiting:
        said += engine.receive_all(waiting, now=now)
    return said


def _as_the_job_does(records: list[Record], engine: Engine) -> list[Event]:
    """Messages go in one by one; the plain case has no event, so one is written for it here."""
    said: list[Event] = []
    deliver = engine.plain_case()
    for record in records:
        message = record.maybe_message
        said += engine.advance(record.now)
        if message is None:
            continue
        is_plain = False
        if deliver is not None and len(message.parents) < 2:
            parent = message.parents[0] if message.parents else ("", 0)
            parts = [*message.id, *parent, message.content, 0]
            arrivals = Arrivals(parts, longest=len(message.content))
            is_plain = deliver(arrivals, [0]) is None
        if is_plain:
            said.append(Delivered(engine.delivered_count, message))
        else:
            said += engine.receive(message, now=record.now)
    return said
