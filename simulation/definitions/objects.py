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
know what it comes after. Of messages sent side by side, which share one id, it is sure to come
after those alone that are counted; for the others it may be held if they are there.
"""

from __future__ import annotations

from ordering.stamps import ObjectStamps
from simulation.history import Entry, History

Id = tuple[int, int]
Vector = dict[str, Id]


def vector_of(entry: Entry) -> Vector:
    """The vector of a message, its own entry included."""
    stamps = entry.message.stamps
    if not isinstance(stamps, ObjectStamps):
        return {}
    vector = {
        member: (cid, iseq)
        for member, (cid, iseq, _) in zip(stamps.members, stamps.vector, strict=False)
    }
    vector[entry.message.id.sender] = (stamps.cid, stamps.iseq)
    return vector


def is_nowhere_above(first: Vector, second: Vector) -> bool:
    """Whether every entry of the first vector is at most that of the second."""
    return all(member in second and one <= second[member] for member, one in first.items())


def comes_before(
    earlier: Entry,
    *,
    sender: str,
    stamps: ObjectStamps,
    vector: Vector,
    conflicts: frozenset[tuple[str, str]],
) -> bool:
    """Whether an earlier message comes before one with these stamps, by the rule alone."""
    first = earlier.message.stamps
    if not isinstance(first, ObjectStamps):
        return False
    if earlier.message.id.sender == sender:
        return (first.cid, first.iseq) < (stamps.cid, stamps.iseq)
    if stamps.is_response or not is_nowhere_above(vector_of(earlier), vector):
        return False
    if first.is_response:
        return True
    shared = not first.targets or not stamps.targets or set(first.targets) & set(stamps.targets)
    return bool(shared) and (first.operation, stamps.operation) in conflicts


def required(
    sender: str,
    *,
    stamps: ObjectStamps,
    history: History,
    conflicts: frozenset[tuple[str, str]],
) -> int:
    """The mask of everything made so far that comes before a message with these stamps."""
    vector: Vector = {
        member: (cid, iseq)
        for member, (cid, iseq, _) in zip(stamps.members, stamps.vector, strict=False)
    }
    vector[sender] = (stamps.cid, stamps.iseq)
    mask = 0
    for earlier in history.entries:
        if comes_before(earlier, sender=sender, stamps=stamps, vector=vector, conflicts=conflicts):
            mask |= 1 << earlier.slot
    return mask
