"""Inter-object order: requests that conflict, and requests after responses, by what was merged.

Each member is an object that runs threads. A thread knows an id `(cid, iseq)` per object, the
highest it has merged: its vector. Every message carries the vector of its thread, with its own id
as the entry of its own object. m1 comes before m2

    of the same object        if the id of m1 is lower (messages sent side by side share one id)
    of different objects      if the vector of m1 is nowhere above that of m2, m2 is a request, and
                              m1 is a response, or a request for a conflicting operation at an
                              object that both are for

    alice: write x, id (0, 1).  bob got it, and then asks: read x, vector {alice: (0, 1), bob: (0,
    1)} the read comes after the write; had bob asked for y, or had he answered, it would not.

A message may be held until all that its vector counts has been captured: before that nobody can
know what it comes after. It may also be held, if they are there, for messages that share an id with
one that it counts, and for messages of another thread of an object whose later ids it counts.
"""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

from ordering.stamps import ObjectStamps
from simulation.history import Entry, History

Id = tuple[int, int]
Vector = dict[str, Id]


class Verdict(Enum):
    """Whether one message comes before another."""

    NO = "no"
    YES = "yes"
    PERHAPS = "perhaps"  # its id is within the vector, but its own vector is not


def vector_of(entry: Entry) -> Vector:
    """The vector of a message, its own entry included."""
    stamps = entry.message.stamps
    if not isinstance(stamps, ObjectStamps):
        return {}
    return candidate(entry.message.id.sender, stamps).vector


def is_nowhere_above(first: Vector, second: Vector) -> bool:
    """Whether every entry of the first vector is at most that of the second."""
    return all(member in second and one <= second[member] for member, one in first.items())


class Candidate(NamedTuple):
    """A message that is about to be sent."""

    sender: str
    stamps: ObjectStamps
    vector: Vector


def comes_before(
    earlier: Entry, following: Candidate, *, conflicts: frozenset[tuple[str, str]]
) -> Verdict:
    """Whether an earlier message comes before another, by the rule alone."""
    first, stamps = earlier.message.stamps, following.stamps
    sender = earlier.message.id.sender
    if not isinstance(first, ObjectStamps):
        return Verdict.NO
    own = (first.cid, first.iseq)
    if sender == following.sender:
        return Verdict.YES if own < (stamps.cid, stamps.iseq) else Verdict.NO
    if stamps.is_response or own > following.vector.get(sender, (-1, 0)):
        return Verdict.NO
    shared = not first.targets or not stamps.targets or set(first.targets) & set(stamps.targets)
    in_conflict = bool(shared) and (first.operation, stamps.operation) in conflicts
    if not first.is_response and not in_conflict:
        return Verdict.NO
    is_known = is_nowhere_above(vector_of(earlier), following.vector)
    return Verdict.YES if is_known else Verdict.PERHAPS


def candidate(sender: str, stamps: ObjectStamps) -> Candidate:
    """A message with these stamps, and its vector with its own entry."""
    vector: Vector = {
        member: (cid, iseq)
        for member, (cid, iseq, _) in zip(stamps.members, stamps.vector, strict=False)
    }
    vector[sender] = (stamps.cid, stamps.iseq)
    return Candidate(sender, stamps, vector)


class Preceding(NamedTuple):
    """What comes before a message, and what may be taken to."""

    surely: int
    perhaps: int


def preceding(
    sender: str,
    *,
    stamps: ObjectStamps,
    history: History,
    conflicts: frozenset[tuple[str, str]],
) -> Preceding:
    """The masks of everything made so far that comes before a message with these stamps."""
    following = candidate(sender, stamps)
    surely = perhaps = 0
    for earlier in history.entries:
        verdict = comes_before(earlier, following, conflicts=conflicts)
        if verdict is Verdict.YES:
            surely |= 1 << earlier.slot
        elif verdict is Verdict.PERHAPS:
            perhaps |= 1 << earlier.slot
    return Preceding(surely, perhaps)


def tell_those_who_count(
    sibling: Entry, *, history: History, conflicts: frozenset[tuple[str, str]]
) -> None:
    """A message that shares its id with an earlier one is made: others may count the id already."""
    for later in history.entries[: sibling.number]:
        stamps = later.message.stamps
        sender = later.message.id.sender
        if isinstance(stamps, ObjectStamps) and sender != sibling.message.id.sender:
            following = candidate(sender, stamps)
            if comes_before(sibling, following, conflicts=conflicts) is not Verdict.NO:
                history.await_also(later.number, 1 << sibling.slot)
