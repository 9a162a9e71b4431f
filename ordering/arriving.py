"""Arriving: whether a message is fresh, and what it waits for. The careful way in.

The fast ways in (receiving.py) handle the plain cases themselves and send all others here.
"""

from ordering.chains import closes_cycle, subtree
from ordering.delivering import deliver
from ordering.events import Duplicate, Event, Quarantined, Reason
from ordering.judging import Target, Verdict, seek
from ordering.member import Entry, Member, Progress
from ordering.requirement import Requirement, UpTo
from ordering.state import GroupState
from ordering.values import Message
from ordering.waiting import close_gap, wait_at


def arrive(state: GroupState, message: Message, events: list[Event]) -> None:
    """Give one message its fate."""
    member = admit(state, message, events)
    if member is not None:
        place(state, member, message, events)


def admit(state: GroupState, message: Message, events: list[Event]) -> Member | None:
    """Give the sender's record if the message is fresh and within bounds; else tell its fate."""
    limits = state.policy.limits
    sender, seq = message.id
    reason: Reason | None = None
    if seq < 1:
        reason = Reason.SEQUENCE_INVALID
    elif len(message.content) > limits.payload_bytes:
        reason = Reason.PAYLOAD_TOO_LARGE
    elif len(message.parents) > limits.parents:
        reason = Reason.TOO_MANY_PARENTS
    if reason is not None:
        events.append(Quarantined(message, reason))
        return None
    member = state.members.get(sender)
    if member is not None and _is_known(state, member, message, events):
        return None
    if member is None or member.first_seen_at is None:
        if state.registered_count >= limits.members:
            events.append(Quarantined(message, Reason.MEMBERS_FULL))
            return None
        member = state.member(sender)
    highest = max(member.highest(), max(member.held, default=0))
    if seq > highest + limits.sequence_jump:
        events.append(Quarantined(message, Reason.SEQUENCE_JUMP))
        return None
    if member.first_seen_at is None:
        member.first_seen_at = state.now
        state.registered_count += 1
    member.ceiling = highest + limits.sequence_jump
    return member


def _is_known(state: GroupState, member: Member, message: Message, events: list[Event]) -> bool:
    """Tell whether the id was received before, and if so, what this copy of it is."""
    seq = message.id.seq
    held = member.held.get(seq)
    if held is not None:
        is_equivocation = held[0].content != message.content
    elif seq <= member.floor:
        events.append(Quarantined(message, Reason.SETTLED))
        return True
    elif member.contains(seq):
        state.remember(events)
        is_equivocation = state.recent.is_equivocation(
            message, position=state.position, now=state.now
        )
    else:
        return False
    if is_equivocation:
        events.append(Quarantined(message, Reason.EQUIVOCATION))
    else:
        events.append(Duplicate(message))
    return True


def place(state: GroupState, member: Member, message: Message, events: list[Event]) -> None:
    """Deliver a fresh message, or let it wait for the first thing that it lacks."""
    requirements = state.requires(message)
    if any(is_itself(message, requirement) for requirement in requirements):
        events.append(Quarantined(message, Reason.SELF_PARENT))
        return
    progress = Progress(requirements, step=0, held_at=state.now, is_orphan=False)
    target = seek(state, progress)
    if target is Verdict.MET:
        close_gap(member, message.id.seq, events)
        deliver(state, member, message, events, is_orphan=progress.is_orphan)
    elif isinstance(target, Verdict):
        events.append(Quarantined(message, Reason.GAVE_UP))
    else:
        _hold(state, (message, member, message.id.seq, progress), target, events)


def is_itself(message: Message, requirement: Requirement) -> bool:
    """Tell whether a message asks for itself."""
    if isinstance(requirement, UpTo):
        return requirement.sender == message.id.sender and requirement.seq >= message.id.seq
    return requirement == message.id


def _hold(state: GroupState, entry: Entry, target: Target, events: list[Event]) -> None:
    message, member, seq, _ = entry
    reason = no_room(state, member)
    if reason is not None:
        events.append(Quarantined(message, reason))
        return
    close_gap(member, seq, events)
    if closes_cycle(state, message.id, target):
        events.append(Quarantined(message, Reason.CYCLE))
        taken = subtree(state, member.waiting.pop(seq))
        events += [Quarantined(entry[0], Reason.CYCLE) for entry in taken]
        return
    member.held[seq] = entry
    state.held_count += 1
    wait_at(state, entry, target, events)


def no_room(state: GroupState, member: Member) -> Reason | None:
    """Tell why a sender may not have another message held, if it may not.

    Its own share is bounded first; when the whole group is full, a sender that holds little still
    has its reserve, so that nobody's messages are turned away because of others' alone.
    """
    limits = state.policy.limits
    own = len(member.held)
    if own >= limits.held_per_sender:
        return Reason.HELD_BY_SENDER_FULL
    if state.held_count >= limits.held_per_group and own >= limits.held_reserve:
        return Reason.HELD_BY_GROUP_FULL
    return None
