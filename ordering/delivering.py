"""Delivering: one message takes the next position, and all that waited for it alone follows.

What a delivery frees is delivered depth first, those that waited at one node in the order in which
they came to wait, with a stack and no recursion: chains of a hundred thousand occur.

    a is delivered; b and c waited for a; d waited for b:    a b d c
"""

from typing import Final

from ordering.chains import closes_cycle, take_subtree
from ordering.events import (
    NO_MARKS,
    Delivered,
    Event,
    Mark,
    Reason,
    Released,
    maker_of_blank,
)
from ordering.judging import Verdict, is_orphan, seek
from ordering.member import (
    MESSAGE,
    OWNER,
    SEQ,
    Member,
    Node,
    Progress,
    children_of,
    let_go,
    progress_of,
)
from ordering.refusing import break_ring, refuse
from ordering.state import GroupState
from ordering.values import Message
from ordering.waiting import close_gap, node_at, wait_at

blank_delivered: Final = maker_of_blank(Delivered)


def deliver(
    state: GroupState, member: Member, message: Message, progress: Progress, events: list[Event]
) -> None:
    """Deliver one fresh message, and everything that this frees."""
    node = member.nodes.pop(message.id.seq, None)
    if node is not None:
        close_gap(node, events)
    _take_position(state, member, message, events, is_orphaned=is_orphan(state, progress))
    stack: list[Node] = []
    if node is not None:
        let_go(node, stack)
    reached = state.discipline.on_delivered(state, message)
    if reached:
        stack += _reach_all(state, reached, events)
    if stack:
        free(state, stack, events)


def _take_position(
    state: GroupState, member: Member, message: Message, events: list[Event], *, is_orphaned: bool
) -> None:
    marks = NO_MARKS
    if is_orphaned or state.abandoned or member.skipped:
        marks = _marks(state, member, message, is_orphaned=is_orphaned)
    member.add(message.id.seq)
    state.position += 1
    delivered = blank_delivered()
    delivered.position = state.position
    delivered.message = message
    delivered.marks = marks
    events.append(delivered)


def _marks(
    state: GroupState, member: Member, message: Message, *, is_orphaned: bool
) -> frozenset[Mark]:
    """Give the marks of a delivery, and forget that it was ever given up."""
    is_late = member.is_skipped(message.id.seq) or state.is_abandoned(message.id)
    state.forget_abandoned(message.id)
    marks = {Mark.LATE} if is_late else set()
    if is_orphaned:
        marks.add(Mark.PARENT_MISSING)
    return frozenset(marks)


def free(
    state: GroupState, stack: list[Node], events: list[Event], *, is_release: bool = False
) -> None:
    """Deliver everything on the stack that waits for nothing else, and all that this frees.

    The stack holds the children of a node that is gone, last first. With `is_release` it was given
    up: every message freed is announced as released and marked.
    """
    while stack:
        node = stack.pop()
        message: Message = node[MESSAGE]
        member: Member = node[OWNER]
        progress = progress_of(node)
        is_orphaned = is_release
        if progress is not None:
            if not _is_ready(state, node, progress, events):
                continue
            if progress.given_up:
                is_orphaned = is_orphaned or is_orphan(state, progress)
        del member.nodes[node[SEQ]]
        member.held_count -= 1
        state.held_count -= 1
        if is_release:
            events.append(Released(message.id, Reason.GAVE_UP))
        _take_position(state, member, message, events, is_orphaned=is_orphaned)
        let_go(node, stack)
        reached = state.discipline.on_delivered(state, message)
        if reached:
            stack += _reach_all(state, reached, events)


def _reach_all(
    state: GroupState, reached: list[tuple[str, int]], events: list[Event]
) -> list[Node]:
    """Move frontiers; give those who no longer wait there, last first."""
    freed: list[Node] = []
    for key, value in reached:
        frontier = state.frontiers.get(key)
        if frontier is None:
            continue
        for node in frontier.reach(value):
            close_gap(node, events)
            freed += children_of(node)
            let_go(node, [])
        if not frontier.nodes:
            del state.frontiers[key]
    freed.reverse()
    return freed


def reach(state: GroupState, reached: list[tuple[str, int]], events: list[Event]) -> None:
    """Move frontiers and deliver what this frees."""
    freed = _reach_all(state, reached, events)
    if freed:
        free(state, freed, events)


def _is_ready(state: GroupState, node: Node, progress: Progress, events: list[Event]) -> bool:
    """Tell whether a woken message has nothing left to wait for; else let it wait again."""
    place = seek(state, progress, node[MESSAGE])
    if place is Verdict.MET:
        return True
    reason = Reason.GAVE_UP
    if not isinstance(place, Verdict):
        message, node[MESSAGE] = node[MESSAGE], None
        target = node_at(state, place, progress)
        is_cycle = closes_cycle(state, node, target)
        node[MESSAGE] = message
        if not is_cycle:
            wait_at(node, progress, target, events)
            return False
        reason = Reason.CYCLE
    quarantine_held(state, node, reason, events)
    return False


def quarantine_held(state: GroupState, node: Node, reason: Reason, events: list[Event]) -> None:
    """Quarantine a held message and everything that hangs from it."""
    member: Member = node[OWNER]
    del member.nodes[node[SEQ]]
    member.release(node[SEQ])
    state.held_count -= 1
    going = (node, *take_subtree(state, node))
    if reason is Reason.CYCLE:
        break_ring(state, going, events)
        return
    for one in going:
        refuse(state, one[OWNER], one[MESSAGE], events)
