"""Receiving by count: the fast way in for `fifo` and `causal`.

A message that is the next of its sender, and whose vector is covered by what was delivered, is
delivered here; one that is not is held here if it is an ordinary message. Everything else (what was
skipped, other kinds of stamps, acknowledgements, bounds) is for `arrive`.
"""

from collections.abc import Iterable
from typing import Final

from ordering.arriving import arrive_and_settle
from ordering.chains import closes_cycle
from ordering.counted import Counted
from ordering.delivering import free
from ordering.events import NO_MARKS, Delivered, Event, Held, maker_of_blank
from ordering.giving_up import give_up_due
from ordering.member import (
    CHILDREN,
    DEAD,
    DETAILS,
    MESSAGE,
    OWNER,
    RECEIVED,
    SEQ,
    SINCE_AT,
    Member,
    Node,
    Progress,
    add_child,
    push_children,
)
from ordering.requirement import Requirement
from ordering.stamps import CausalStamps
from ordering.state import GroupState
from ordering.values import Message
from ordering.waiting import close_gap, expect

blank_delivered: Final = maker_of_blank(Delivered)
NO_VECTOR: Final = CausalStamps((), ())


def receive_by_count(state: GroupState, messages: Iterable[Message], events: list[Event]) -> None:
    """Receive messages that count their sender, and perhaps other members, up to a number."""
    payload_bytes = state.policy.limits.payload_bytes
    widest, most_parents = state.policy.limits.vector_width, state.policy.limits.parents
    reads_vectors = state.discipline.reads_vectors
    find = state.members.get
    for message in messages:
        message_id, parents, content, stamps, _ = message
        sender, seq = message_id
        member = find(sender)
        vector = NO_VECTOR
        if reads_vectors and stamps is not None:
            if stamps.__class__ is CausalStamps:
                vector = stamps
            else:
                member = None
        members, upcoming, ack, dst, lsn, _ = vector
        width = len(members)
        if (
            member is None
            or not (member.settled < seq and seq <= member.ceiling)
            or member.loose
            or member.runs
            or member.skipped
            or len(content) > payload_bytes
            or len(parents) > most_parents
            or len(upcoming) != width
            or (ack and len(ack) != width)
            or (lsn and len(lsn) != width)
            or width > widest
            or len(dst) > widest
            or state.is_unusual()
        ):
            arrive_and_settle(state, message, events)
            continue
        place = 0
        if seq == member.next:
            for other, needed in zip(members, upcoming, strict=True):
                place += 1
                above = find(other)
                if above is None or above.next < needed or above.skipped:
                    break
            else:
                place = width + 1
        own = member.nodes.get(seq)
        if place <= width:
            counted = Counted(message_id, members, upcoming)
            _hold(state, member, message, counted, place, own, events)
        elif own is None:
            member.next = seq + 1
            member.settled = seq
            state.position += 1
            delivered = blank_delivered()
            delivered.position = state.position
            delivered.message = message
            delivered.marks = NO_MARKS
            events.append(delivered)
        elif own[MESSAGE] is None:
            close_gap(state, own, events)
            _deliver(state, own, message, events)
        else:
            arrive_and_settle(state, message, events)


def _hold(
    state: GroupState,
    member: Member,
    message: Message,
    counted: Counted,
    place: int,
    own: Node | None,
    events: list[Event],
) -> None:
    """Hold an ordinary message at the first thing that it lacks; the rest is for `arrive`."""
    limits = state.policy.limits
    required = counted[place]
    above = state.members.get(required.sender)
    if (
        above is None
        or above.loose
        or above.runs
        or above.skipped
        or member.held_count >= limits.held_per_sender
        or state.held_count >= limits.held_per_group
        or counted.asks_for_itself()
        or (own is not None and own[MESSAGE] is not None)
    ):
        arrive_and_settle(state, message, events)
        return
    target = above.nodes.get(required.seq)
    if own is not None and target is not None and closes_cycle(state, own, target):
        arrive_and_settle(state, message, events)
        return
    if own is None:
        own = member.nodes[message.id.seq] = [
            RECEIVED,
            None,
            member,
            message.id.seq,
            None,
            None,
            None,
        ]
    else:
        close_gap(state, own, events)
        own[SINCE_AT] = RECEIVED
    progress = Progress(counted, step=place, held_at=state.now)
    own[MESSAGE] = message
    own[DETAILS] = progress
    member.held_count += 1
    state.held_count += 1
    events.append(Held(message, required))
    if target is None:
        target = _open_gap(state, above, required)
    progress.target = target
    add_child(target, own)


def _deliver(state: GroupState, node: Node, message: Message, events: list[Event]) -> None:
    """Deliver a message that others wait for, and all that this frees, as `free` does.

    1. Take a freed message; find the first thing that it still lacks.
    2. Nothing: deliver it, and put those who wait for it on the stack.
    3. Something plain: let it wait there. Anything else: leave the whole stack to `free`.
    """
    find = state.members.get
    stack: list[Node] = []
    while True:
        node[SINCE_AT] = DEAD
        member: Member = node[OWNER]
        seq: int = node[SEQ]
        del member.nodes[seq]
        member.next = seq + 1
        member.settled = seq
        state.position += 1
        delivered = blank_delivered()
        delivered.position = state.position
        delivered.message = message
        delivered.marks = NO_MARKS
        events.append(delivered)
        push_children(node, stack)
        while stack:
            node = stack.pop()
            member, progress = node[OWNER], node[DETAILS]
            counted = progress.requirements
            is_plain = counted.__class__ is Counted and not (
                member.loose or member.runs or member.skipped or progress.given_up
            )
            place = counted.first_open(find, progress.step) if is_plain else 0
            if is_plain and place == len(counted):
                break
            if not is_plain or not _wait_again(state, node, counted[place], place, events):
                stack.append(node)
                free(state, stack, events)
                if state.deadlines:
                    give_up_due(state, events)
                return
        else:
            return
        member.held_count -= 1
        state.held_count -= 1
        message = node[MESSAGE]


def _wait_again(
    state: GroupState, node: Node, required: Requirement, place: int, events: list[Event]
) -> bool:
    """Let a woken message wait for the next thing that it lacks, if that is plainly missing."""
    above = state.members.get(required.sender)
    progress: Progress = node[DETAILS]
    if above is None or above.loose or above.runs or above.skipped or progress.held_at < state.now:
        return False
    target = above.nodes.get(required.seq)
    if target is None:
        target = _open_gap(state, above, required)
    elif target[MESSAGE] is not None and node[CHILDREN] is not None:
        message, node[MESSAGE] = node[MESSAGE], None
        is_cycle = closes_cycle(state, node, target)
        node[MESSAGE] = message
        if is_cycle:
            return False
    progress.step = place
    progress.target = target
    add_child(target, node)
    events.append(Held(node[MESSAGE], required))
    return True


def _open_gap(state: GroupState, above: Member, required: Requirement) -> Node:
    node: Node = [state.now, None, above, required.seq, None, None, required]
    above.nodes[required.seq] = node
    state.untold.append(node)
    expect(state, node)
    return node
