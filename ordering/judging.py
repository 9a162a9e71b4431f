"""Whether a requirement is met, and if not, at which id to wait for it.

"This sender up to n" is waited for at one id like everything else: at n itself while n has not been
delivered, and after that at the lowest id that has not. So there is one index of waiters, keyed by
id.

    delivered of bob: 1 2 . 4        up to 3: wait at 3        up to 4: wait at 3, the lowest open
"""

from enum import Enum, auto
from typing import TypeAlias

from ordering import runs as run
from ordering.member import Progress
from ordering.policy import GiveUp
from ordering.requirement import Requirement, UpTo
from ordering.state import GroupState
from ordering.values import MessageId


class Verdict(Enum):
    """What to do about a requirement when there is nothing to wait for."""

    MET = auto()
    GIVEN_UP = auto()
    """go on without it; the delivery is marked"""
    REFUSED = auto()
    """it was given up and this group quarantines what depends on it"""


Target: TypeAlias = tuple[str, int]


def judge(state: GroupState, requirement: Requirement) -> Verdict | Target:
    """Tell whether the requirement is met; if it is not, give the id to wait at."""
    if isinstance(requirement, UpTo):
        return _judge_up_to(state, requirement)
    return _judge_exactly(state, requirement)


def _judge_exactly(state: GroupState, required: MessageId) -> Verdict | Target:
    member = state.members.get(required.sender)
    if member is not None and member.contains(required.seq):
        return Verdict.MET
    if state.abandoned and state.is_abandoned(required):
        is_refused = state.policy.give_up is GiveUp.QUARANTINE
        return Verdict.REFUSED if is_refused else Verdict.GIVEN_UP
    return required


def _judge_up_to(state: GroupState, required: UpTo) -> Verdict | Target:
    member = state.members.get(required.sender)
    if required.seq < 1:
        return Verdict.MET
    if member is None:
        return required.sender, required.seq
    if required.seq < member.next:
        # What was skipped does not stop the sender's later messages, in any policy: the meaning of
        # a message may hang on its parent, but not on every earlier message of a sender.
        is_skipped = bool(member.skipped) and run.contains(member.skipped, required.seq)
        return Verdict.GIVEN_UP if is_skipped else Verdict.MET
    if member.contains(required.seq):
        return required.sender, member.next
    return required.sender, required.seq


def seek(state: GroupState, progress: Progress) -> Verdict | Target:
    """Move on to the first requirement that is not met.

    Gives the id to wait at, MET when nothing is left, or REFUSED. What was given up on the way is
    noted in `progress.is_orphan`.
    """
    requirements = progress.requirements
    while progress.step < len(requirements):
        verdict = judge(state, requirements[progress.step])
        if verdict is Verdict.GIVEN_UP:
            progress.is_orphan = True
        elif verdict is not Verdict.MET:
            return verdict
        progress.step += 1
    return Verdict.MET
