"""Delivering: one message takes the next position, and all that waited for it alone follows.

What a delivery frees is delivered depth first, those that waited for one id in the order in which
they came to wait, with a stack and no recursion: chains of a hundred thousand occur.

    a is delivered; b and c waited for a; d waited for b:    a b d c
"""

from ordering import runs as run
from ordering.chains import DEAD, closes_cycle, subtree
from ordering.errors import EngineFault
from ordering.events import (
    NO_MARKS,
    Delivered,
    Event,
    Mark,
    Quarantined,
    Reason,
    Released,
)
from ordering.judging import Verdict, seek
from ordering.member import ENTRIES, SINCE_AT, Entry, Member, Node
from ordering.state import GroupState
from ordering.values import Message
from ordering.waiting import wait_at


def deliver(
    state: GroupState, member: Member, message: Message, events: list[Event], *, is_orphan: bool
) -> None:
    """Deliver one message that is not held, and everything that this frees."""
    seq = message.id.seq
    marks = marks_of(state, member, message, is_orphan=is_orphan)
    member.add(seq)
    state.position += 1
    events.append(Delivered(state.position, message, marks))
    node = member.waiting.pop(seq, None)
    if node is not None:
        free(state, node, events)


def marks_of(
    state: GroupState, member: Member, message: Message, *, is_orphan: bool
) -> frozenset[Mark]:
    """Give the marks of a delivery, and forget that it was ever given up."""
    seq = message.id.seq
    is_late = seq < member.next and run.contains(member.skipped, seq)
    if state.abandoned:
        is_late = state.is_abandoned(message.id) or is_late
        state.forget_abandoned(message.id)
    marks = NO_MARKS
    if is_late:
        marks |= {Mark.LATE}
    if is_orphan:
        marks |= {Mark.PARENT_MISSING}
    return marks


def free(state: GroupState, node: Node, events: list[Event], *, is_release: bool = False) -> None:
    """Deliver everything that a node held up and that waits for nothing else.

    With `is_release` the node's id was given up: every message freed is announced as released and
    marked. The node must already be out of its member's `waiting`.
    """
    node[SINCE_AT] = DEAD
    stack: list[Entry] = node[: ENTRIES - 1 : -1]
    while stack:
        entry = stack.pop()
        message, member, seq, progress = entry
        del member.held[seq]
        is_orphan = is_release
        if progress is not None:
            progress.is_orphan |= is_release
            if not _is_ready(state, entry, events):
                continue
            is_orphan = progress.is_orphan
        state.held_count -= 1
        if is_release:
            events.append(Released(message.id, Reason.GAVE_UP))
        marks = NO_MARKS
        if is_orphan or state.abandoned or member.skipped:
            marks = marks_of(state, member, message, is_orphan=is_orphan)
        member.add(seq)
        state.position += 1
        events.append(Delivered(state.position, message, marks))
        below = member.waiting.pop(seq, None)
        if below is not None:
            below[SINCE_AT] = DEAD
            stack += below[: ENTRIES - 1 : -1]


def _is_ready(state: GroupState, entry: Entry, events: list[Event]) -> bool:
    """Tell whether a woken message has nothing left to wait for; else let it wait again.

    The entry is out of `held` when this is called, and back in it if it waits again.
    """
    message, member, seq, progress = entry
    if progress is None:
        raise EngineFault(f"{message.id} was asked for requirements that it does not have")
    target = seek(state, progress)
    if target is Verdict.MET:
        return True
    if isinstance(target, Verdict):
        _quarantine_with_subtree(state, entry, Reason.GAVE_UP, events)
        return False
    if closes_cycle(state, message.id, target):
        _quarantine_with_subtree(state, entry, Reason.CYCLE, events)
        return False
    member.held[seq] = entry
    wait_at(state, entry, target, events)
    return False


def _quarantine_with_subtree(
    state: GroupState, entry: Entry, reason: Reason, events: list[Event]
) -> None:
    message, member, seq, _ = entry
    state.held_count -= 1
    events.append(Quarantined(message, reason))
    node = member.waiting.pop(seq, None)
    if node is not None:
        events += [Quarantined(taken[0], reason) for taken in subtree(state, node)]
