"""Receiving by count: the fast way in for `fifo`, `causal` and `semantic+fifo`.

A message that is the next of its sender, and whose vector is covered by what was delivered, is
delivered here, also past what was given up for good; one that is not is held here if it is an
ordinary message. Everything else (what comes late, other kinds of stamps, acknowledgements, bounds)
is for `arrive`. Where parents count too, only what need not wait is delivered here.
"""

from collections.abc import Callable, Iterable
from typing import Final

from ordering.arriving import arrive_and_settle
from ordering.chains import closes_cycle
from ordering.counted import Counted
from ordering.delivering import free
from ordering.events import NO_MARKS, Delivered, Event, Held, Mark, maker_of_blank
from ordering.giving_up import give_up_due
from ordering.member import (
    CHILDREN,
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
    let_go,
)
from ordering.policy import GiveUp
from ordering.requirement import Requirement
from ordering.stamps import CausalStamps, Stamps
from ordering.state import GroupState
from ordering.values import Message, MessageId
from ordering.waiting import close_gap, expect

blank_delivered: Final = maker_of_blank(Delivered)
blank_held: Final = maker_of_blank(Held)
NO_VECTOR: Final = CausalStamps((), ())
ORPHANED: Final = frozenset({Mark.PARENT_MISSING})


def receive_by_count(state: GroupState, messages: Iterable[Message], events: list[Event]) -> None:
    """Receive messages that count their sender, and perhaps other members, up to a number.

    1. A fresh seq of a known sender within bounds, and nothing unusual about the group? If not,
       `arrive`.
    2. Look for the first thing that it lacks; note if it goes past what was given up.
    3. Deliver it, with what that frees, or hold it if it is ordinary. Anything else: `arrive`.
    """
    limits = state.policy.limits
    payload_bytes, widest, most_parents = limits.payload_bytes, limits.vector_width, limits.parents
    reads_vectors, reads_parents = state.discipline.reads_vectors, state.discipline.reads_parents
    refuses = state.policy.give_up is GiveUp.QUARANTINE
    abandoned = state.abandoned
    find, covers, is_unusual = state.members.get, state.covered.covers, state.is_unusual()
    for message in messages:
        message_id, parents, content, stamps, _ = message
        sender, seq = message_id
        member = find(sender)
        maybe_vector = _vector(stamps, widest) if reads_vectors and stamps else NO_VECTOR
        if (
            member is None
            or maybe_vector is None
            or is_unusual
            or not (member.settled < seq and seq <= member.ceiling)
            or member.loose
            or member.runs
            or len(content) > payload_bytes
            or len(parents) > most_parents
            or (abandoned and message_id in abandoned)
            or (reads_parents and not _is_plain_answer(find, parents, member, seq))
        ):
            arrive_and_settle(state, message, events)
            is_unusual = state.is_unusual()
            continue
        members, upcoming = maybe_vector[0], maybe_vector[1]
        place, is_orphaned = 0, False
        if seq == member.next:
            place = len(members) + 1
            if not covers(members, upcoming):
                place, is_orphaned = _first_lacking(state, members, upcoming)
            if member.skipped and member.skipped[0] < seq:
                is_orphaned = True
        own = member.nodes.get(seq)
        is_held = place <= len(members)
        if (
            (is_orphaned and (is_held or refuses))
            or (own is not None and own[MESSAGE] is not None)
            or (is_held and not _hold(state, message, place, own, events))
        ):
            arrive_and_settle(state, message, events)
            is_unusual = state.is_unusual()
        elif not is_held:
            if own is not None:
                close_gap(own, events)
            _take_position(state, member, message, ORPHANED if is_orphaned else NO_MARKS, events)
            if own is not None:
                _free_below(state, own, events)


def _is_plain_answer(
    find: Callable[[str], Member | None],
    parents: tuple[MessageId, ...],
    member: Member,
    seq: int,
) -> bool:
    """Tell whether a message is the next of its sender and all its parents were delivered."""
    if seq != member.next:
        return False
    for sender, parent_seq in parents:
        above = find(sender)
        if above is None or not above.contains(parent_seq):
            return False
    return True


def _first_lacking(
    state: GroupState, members: tuple[str, ...], all_upcoming: tuple[int, ...]
) -> tuple[int, bool]:
    """Look closely: give the place of the first entry that is not met, or the one after all.

    Also tell whether something that an entry before it counts was given up.
    """
    find, place, is_orphaned = state.members.get, 1, False
    for above, upcoming in zip(map(find, members), all_upcoming, strict=True):
        if above is None or above.next < upcoming:
            return place, is_orphaned
        if above.skipped and above.skipped[0] < upcoming:
            is_orphaned = True
        place += 1
    if not is_orphaned:
        state.covered.refresh(members)
    return place, is_orphaned


def _vector(stamps: Stamps, widest: int) -> CausalStamps | None:
    """Give stamps that are a vector, as wide as it says and not too wide; None for all others."""
    if type(stamps) is not CausalStamps:
        return None
    members, csn, ack, dst, lsn, _ = stamps
    width = len(members)
    if (
        width != len(csn)
        or width > widest
        or (ack and len(ack) != width)
        or (lsn and len(lsn) != width)
        or len(dst) > widest
    ):
        return None
    return stamps


def _take_position(
    state: GroupState,
    member: Member,
    message: Message,
    marks: frozenset[Mark],
    events: list[Event],
) -> None:
    """Deliver the next message of its sender."""
    seq = message[0][1]
    if member.skipped:
        member.add(seq)
    else:
        member.next, member.settled = seq + 1, seq
        state.covered[member.pid] = seq + 1
    state.position += 1
    delivered = blank_delivered()
    delivered.position = state.position
    delivered.message = message
    delivered.marks = marks
    events.append(delivered)


def _hold(
    state: GroupState, message: Message, place: int, own: Node | None, events: list[Event]
) -> bool:
    """Hold an ordinary message at the first thing that it lacks; False if it is not ordinary."""
    limits = state.policy.limits
    message_id, stamps = message.id, message.stamps
    member = state.members[message_id.sender]
    vector = stamps if isinstance(stamps, CausalStamps) and state.discipline.reads_vectors else None
    counted = Counted(message_id, *((vector or NO_VECTOR)[:2]))
    required = counted[place]
    above = state.members.get(required.sender)
    if (
        above is None
        or above.loose
        or above.runs
        or above.skipped
        or (member.skipped and member.skipped[-1] >= message_id.seq)
        or (state.abandoned and above.first_seen_at is None)
        or member.held_count >= limits.held_per_sender
        or state.held_count >= limits.held_per_group
        or counted.asks_for_itself()
    ):
        return False
    target = above.nodes.get(required.seq)
    if own is None:
        own = [RECEIVED, None, member, message_id.seq, None, None, None]
        member.nodes[message_id.seq] = own
    elif target is not None and closes_cycle(state, own, target):
        return False
    else:
        close_gap(own, events)
        own[SINCE_AT] = RECEIVED
    progress = Progress(counted, step=place, held_at=state.now)
    own[MESSAGE] = message
    own[DETAILS] = progress
    member.held_count += 1
    state.held_count += 1
    _wait_at(state, own, progress, target, above, required, events)
    return True


def _wait_at(
    state: GroupState,
    own: Node,
    progress: Progress,
    target: Node | None,
    above: Member,
    required: Requirement,
    events: list[Event],
) -> None:
    """Let a held message wait for something plain, opening a gap if nobody has waited for it."""
    held = blank_held()
    held.message = own[MESSAGE]
    held.waiting_for = required
    events.append(held)
    if target is None:
        target = [state.now, None, above, required.seq, None, None, required]
        above.nodes[required.seq] = target
        state.untold.append((above, required.seq))
        if state.gives_up:
            expect(state, target)
    progress.target = target
    add_child(target, own)


def _free_below(state: GroupState, node: Node, events: list[Event]) -> None:
    """Deliver all that a delivery frees, as `free` does.

    1. Let go of the node, and put those who wait there on the stack.
    2. Take a freed message; find the first thing that it still lacks.
    3. Nothing: deliver it, and go on with those who wait for it.
    4. Something plain: let it wait there. Anything else: leave the whole stack to `free`.
    """
    find = state.members.get
    stack: list[Node] = []
    while True:
        del node[OWNER].nodes[node[SEQ]]
        let_go(node, stack)
        while stack:
            node = stack.pop()
            member, progress = node[OWNER], node[DETAILS]
            counted = progress.requirements
            is_plain = type(counted) is Counted and not (
                member.loose or member.runs or member.skipped or progress.given_up
            )
            place = counted.first_open(find, progress.step) if is_plain else 0
            if is_plain and place == counted.length:
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
        _take_position(state, member, node[MESSAGE], NO_MARKS, events)


def _wait_again(
    state: GroupState, node: Node, required: Requirement, place: int, events: list[Event]
) -> bool:
    """Let a woken message wait for the next thing that it lacks, if that is plainly missing."""
    above = state.members.get(required.sender)
    progress: Progress = node[DETAILS]
    if above is None or above.loose or above.runs or above.skipped or progress.held_at < state.now:
        return False
    target = above.nodes.get(required.seq)
    if target is not None and target[MESSAGE] is not None and node[CHILDREN] is not None:
        message, node[MESSAGE] = node[MESSAGE], None
        is_cycle = closes_cycle(state, node, target)
        node[MESSAGE] = message
        if is_cycle:
            return False
    progress.step = place
    _wait_at(state, node, progress, target, above, required, events)
    return True
