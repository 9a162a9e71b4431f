"""Whether a requirement is met, and if not, where to wait for it.

"This sender up to n" is waited for at one id like everything else: at n itself while n has not been
delivered, and after that at the lowest id that has not. So there is one index of waiters, by id.

    delivered of bob: 1 2 . 4        up to 3: wait at 3        up to 4: wait at 3, the lowest open

Measures other than deliveries are waited for at a frontier.
"""

from collections.abc import Callable
from enum import Enum, auto
from typing import Final, TypeAlias

from ordering.capturing import captured_of
from ordering.counted import Counted
from ordering.frontier import Frontier, key_of
from ordering.member import Member, Progress
from ordering.ordering_list import OrderingList
from ordering.policy import GiveUp
from ordering.requirement import Measure, Requirement, UpTo
from ordering.state import GroupState
from ordering.values import Message, MessageId


class Verdict(Enum):
    """What to do about a requirement when there is nothing to wait for."""

    MET = auto()
    GIVEN_UP = auto()
    """go on without it; the delivery is marked"""
    REFUSED = auto()
    """it was given up and this group quarantines what depends on it"""


Place: TypeAlias = tuple[Member | Frontier, int]
"""Where to wait: in whose nodes, and at which seq or value."""


def judge(state: GroupState, requirement: Requirement, message: Message) -> Verdict | Place:
    """Tell whether a message's requirement is met; if it is not, give the place to wait at."""
    if state.retired and _is_retired(state, requirement):
        return Verdict.MET
    if isinstance(requirement, UpTo):
        return JUDGES[requirement.measure](state, requirement, message)
    return _judge_exactly(state, requirement)


def _is_retired(state: GroupState, requirement: Requirement) -> bool:
    """Tell whether a requirement asks for a member that is no longer remembered, so long gone."""
    by = requirement.by if isinstance(requirement, UpTo) else None
    return state.is_retired(requirement.sender) or (by is not None and state.is_retired(by))


def _judge_exactly(state: GroupState, required: MessageId) -> Verdict | Place:
    sender, seq = required
    member = state.members.get(sender)
    if member is None:
        member = state.member(sender)
    elif member.contains(seq):
        return Verdict.MET
    elif member.is_skipped(seq):
        return _given_up(state)
    if state.abandoned and state.is_abandoned(required):
        return _given_up(state)
    return member, seq


def _judge_delivered(state: GroupState, required: UpTo, _message: Message) -> Verdict | Place:
    sender, seq = required.sender, required.seq
    member = state.members.get(sender)
    if seq < 1:
        return Verdict.MET
    if member is None or member.first_seen_at is None:
        if seq <= state.given_up_of_stranger(sender):
            return _given_up(state)
        return member or state.member(sender), seq
    verdict = _verdict_up_to(state, member, seq)
    if verdict is not None:
        return verdict
    is_there = member.contains(seq) or member.is_skipped(seq)
    return member, member.next if is_there else seq


def _verdict_up_to(state: GroupState, counted: OrderingList, seq: int) -> Verdict | None:
    """Tell what is certain about "up to seq"; None if it must be waited for.

    Where the group quarantines, one id that was given up decides at once. Where it releases, the
    rest is still waited for.
    """
    if counted.has_skipped_up_to(seq):
        if state.policy.give_up is GiveUp.QUARANTINE:
            return Verdict.REFUSED
        return Verdict.GIVEN_UP if seq < counted.next else None
    return Verdict.MET if seq < counted.next else None


def _given_up(state: GroupState) -> Verdict:
    is_refused = state.policy.give_up is GiveUp.QUARANTINE
    return Verdict.REFUSED if is_refused else Verdict.GIVEN_UP


def _judge_acknowledged(state: GroupState, required: UpTo, _message: Message) -> Verdict | Place:
    row = state.acknowledged.get(required.by or "", {})
    if required.seq <= row.get(required.sender, 0):
        return Verdict.MET
    return state.frontier(key_of(required)), required.seq


def _judge_captured(state: GroupState, required: UpTo, _message: Message) -> Verdict | Place:
    sender, seq = required.sender, required.seq
    member = state.members.get(sender)
    if member is None or member.first_seen_at is None:
        if seq <= state.given_up_of_stranger(sender):
            return _given_up(state)
        return state.frontier(key_of(required)), seq
    verdict = _verdict_up_to(state, captured_of(state, member), seq)
    return verdict or (state.frontier(key_of(required)), seq)


def _judge_sent_at(state: GroupState, required: UpTo, _message: Message) -> Verdict | Place:
    # An older message would have reached everyone by now: delta is the network's bound.
    if required.seq < state.now - state.policy.delta_us:
        return Verdict.MET
    if required.seq <= state.delivered_through.get(required.sender, 0):
        return Verdict.MET
    return state.frontier(key_of(required)), required.seq


def _judge_preceding(state: GroupState, required: UpTo, message: Message) -> Verdict | Place:
    maybe_seq = state.discipline.first_preceding(state, required, message)
    if maybe_seq is not None:
        return state.members[required.sender], maybe_seq
    if state.policy.give_up is GiveUp.QUARANTINE:
        # What had been captured may have been refused while this message waited for another.
        captured = state.captured.get(required.sender)
        if captured is not None and captured.has_skipped_up_to(required.seq):
            return Verdict.REFUSED
    return Verdict.MET


JUDGES: Final[dict[Measure, Callable[[GroupState, UpTo, Message], Verdict | Place]]] = {
    Measure.DELIVERED: _judge_delivered,
    Measure.CAPTURED: _judge_captured,
    Measure.ACKNOWLEDGED: _judge_acknowledged,
    Measure.SENT_AT: _judge_sent_at,
    Measure.PRECEDING: _judge_preceding,
}


def seek(state: GroupState, progress: Progress, message: Message) -> Verdict | Place:
    """Move on to the first requirement that is not met.

    Gives the place to wait at, MET when nothing is left, or REFUSED. What was given up on the way
    is noted in `progress.given_up`.
    """
    requirements = progress.requirements
    while progress.step < len(requirements):
        if isinstance(requirements, Counted):
            progress.step = requirements.first_open(state.members.get, progress.step)
            if progress.step == len(requirements):
                break
        requirement = requirements[progress.step]
        verdict = judge(state, requirement, message)
        if verdict is Verdict.GIVEN_UP:
            progress.given_up.append(requirement)
        elif verdict is not Verdict.MET:
            return verdict
        progress.step += 1
    return Verdict.MET


def is_orphan(state: GroupState, progress: Progress) -> bool:
    """Tell whether something that a message was let go without is still not there."""
    return any(_is_still_missing(state, requirement) for requirement in progress.given_up)


def _is_still_missing(state: GroupState, requirement: Requirement) -> bool:
    member = state.members.get(requirement.sender)
    if not isinstance(requirement, UpTo):
        return member is None or not member.contains(requirement.seq)
    if member is None:
        return True
    if requirement.measure is Measure.CAPTURED:
        return captured_of(state, member).has_skipped_up_to(requirement.seq)
    if requirement.measure is not Measure.DELIVERED:
        return True
    return requirement.seq >= member.next or member.has_skipped_up_to(requirement.seq)
