"""Arriving: whether a message is fresh, and what it waits for. The careful way in.

The fast ways in (receiving.py) handle the plain cases themselves and send all others here.
"""

from collections.abc import Sequence

from ordering.chains import closes_cycle, take_subtree
from ordering.counted import Counted
from ordering.delivering import deliver, reach
from ordering.events import Duplicate, Event, Quarantined, Reason
from ordering.giving_up import give_up_due
from ordering.judging import Place, Verdict, seek
from ordering.member import (
    DETAILS,
    MESSAGE,
    NEVER_FAST,
    OWNER,
    RECEIVED,
    SINCE_AT,
    Member,
    Progress,
)
from ordering.names import admit
from ordering.refusing import break_ring, refuse
from ordering.requirement import Measure, Requirement, UpTo
from ordering.state import GroupState
from ordering.values import Message
from ordering.waiting import close_gap, node_at, own_node, wait_at


def arrive_and_settle(state: GroupState, message: Message, events: list[Event]) -> None:
    """Give one message its fate, and give up what that made due."""
    arrive(state, message, events)
    if state.deadlines:
        give_up_due(state, events)


def arrive(state: GroupState, message: Message, events: list[Event]) -> None:
    """Give one message its fate."""
    reason = _out_of_bounds(state, message)
    if reason is not None:
        events.append(Quarantined(message, reason))
        return
    member = state.members.get(message.id.sender)
    if member is not None and _is_known(state, member, message, events):
        return
    if member is None or not _is_regular(member, message.id.seq):
        reason = admit(state, message.id)
        if reason is not None:
            events.append(Quarantined(message, reason))
            return
        member = state.members[message.id.sender]
    if not _place(state, member, message, events):
        return
    if member.ceiling == NEVER_FAST:
        member.highest_seen = max(member.highest_seen, message.id.seq)
    reached = state.discipline.on_received(state, message)
    if reached:
        reach(state, reached, events)


def _out_of_bounds(state: GroupState, message: Message) -> Reason | None:
    limits = state.policy.limits
    if message.id.seq < 1:
        return Reason.SEQUENCE_INVALID
    if len(message.content) > limits.payload_bytes:
        return Reason.PAYLOAD_TOO_LARGE
    if len(message.parents) > limits.parents:
        return Reason.TOO_MANY_PARENTS
    return state.discipline.fault(message, limits.vector_width)


def _is_known(state: GroupState, member: Member, message: Message, events: list[Event]) -> bool:
    """Tell whether the id was received before, and if so, what this copy of it is."""
    seq = message.id.seq
    node = member.nodes.get(seq)
    if node is not None and node[MESSAGE] is not None:
        is_equivocation = node[MESSAGE].content != message.content
    elif member.contains(seq):
        state.remember(events)
        is_equivocation = state.recent.is_equivocation(
            message, position=state.position, now=state.now
        )
        if not is_equivocation and seq <= member.floor:
            events.append(Quarantined(message, Reason.SETTLED))
            return True
    else:
        return False
    fate = Quarantined(message, Reason.EQUIVOCATION) if is_equivocation else Duplicate(message)
    events.append(fate)
    return True


def _is_regular(member: Member, seq: int) -> bool:
    """Tell whether a fresh message of this member needs no admission."""
    return seq <= member.ceiling


def _place(state: GroupState, member: Member, message: Message, events: list[Event]) -> bool:
    """Deliver a fresh message, or let it wait for the first thing that it lacks.

    Gives False if the message was quarantined instead.
    """
    requirements = state.discipline.requires(message)
    if _asks_for_itself(message, requirements):
        events.append(Quarantined(message, Reason.SELF_PARENT))
        return False
    progress = Progress(requirements, step=0, held_at=state.now)
    place = seek(state, progress, message)
    if place is Verdict.MET:
        deliver(state, member, message, progress, events)
        return True
    if isinstance(place, Verdict):
        _refuse(state, member, message, events)
        return False
    return _hold(state, member, message, progress, place, events)


def _refuse(state: GroupState, member: Member, message: Message, events: list[Event]) -> None:
    """Refuse a fresh message, and everything that has been waiting for it."""
    node = member.nodes.pop(message.id.seq, None)
    if node is not None:
        close_gap(node, events)
    refuse(state, member, message, events)
    if node is not None:
        for one in take_subtree(state, node):
            refuse(state, one[OWNER], one[MESSAGE], events)


def _asks_for_itself(message: Message, requirements: Sequence[Requirement]) -> bool:
    if isinstance(requirements, Counted):
        return requirements.asks_for_itself()
    return any(_is_itself(message, requirement) for requirement in requirements)


def _is_itself(message: Message, requirement: Requirement) -> bool:
    if isinstance(requirement, UpTo):
        if requirement.measure in (Measure.ACKNOWLEDGED, Measure.SENT_AT):
            return False
        return requirement.sender == message.id.sender and requirement.seq >= message.id.seq
    return requirement == message.id


def _hold(
    state: GroupState,
    member: Member,
    message: Message,
    progress: Progress,
    place: Place,
    events: list[Event],
) -> bool:
    reason = _no_room(state, member)
    if reason is not None:
        events.append(Quarantined(message, reason))
        return False
    seq = message.id.seq
    own = own_node(member, seq)
    close_gap(own, events)
    target = node_at(state, place, progress)
    if closes_cycle(state, own, target):
        del member.nodes[seq]
        events.append(Quarantined(message, Reason.CYCLE))
        break_ring(state, take_subtree(state, own), events)
        return False
    own[SINCE_AT], own[MESSAGE], own[DETAILS] = RECEIVED, message, progress
    member.nodes[seq] = own
    member.held_count += 1
    state.held_count += 1
    wait_at(own, progress, target, events)
    state.discipline.on_held(state, own)
    return True


def _no_room(state: GroupState, member: Member) -> Reason | None:
    """Tell why a sender may not have another message held, if it may not.

    Its own share is bounded first; when the whole group is full, a sender that holds little still
    has its reserve, so that nobody's messages are turned away because of others' alone.
    """
    limits = state.policy.limits
    if member.held_count >= limits.held_per_sender:
        return Reason.HELD_BY_SENDER_FULL
    if state.held_count >= limits.held_per_group and member.held_count >= limits.held_reserve:
        return Reason.HELD_BY_GROUP_FULL
    return None
