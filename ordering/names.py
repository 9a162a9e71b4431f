"""Names and their incarnations: who may still speak after a restart.

A member that restarts comes back under the next incarnation. Messages of the older one may still be
on their way, and must not be lost; but an old process that was thought dead must not go on talking.
The rule, once a newer incarnation of a name has sent something:

- the older may fill its gaps, and send whatever someone waits for, at any time;
- the older may add to its end only for `incarnation_grace_us` after the newer was first seen.

    alice#1: 1 2 . 4    alice#2 is first seen at 10:00, grace ten minutes
    10:05  alice#1: 5   within the grace: accepted
    10:20  alice#1: 3   fills a gap: accepted
    10:20  alice#1: 6   quarantined, unless something that is held answers it

A name keeps its newest `incarnations_per_name`. An older one is retired when it has nothing held
and nobody waits for it: its messages are quarantined, and whoever answers one need not wait.
"""

from bisect import insort
from operator import attrgetter

from ordering.events import Reason
from ordering.member import NEVER_FAST, Member
from ordering.state import GroupState
from ordering.values import MessageId


def admit(state: GroupState, message_id: MessageId) -> Reason | None:
    """Let the sender of a fresh message in, or tell why it may not come in.

    Called for a sender's first message, for one beyond its ceiling, and for every message of an
    older incarnation.
    """
    pid, seq = message_id
    member = state.members.get(pid)
    if member is None:
        member = Member(pid)
    reason = _refusal(state, member, seq)
    if reason is None:
        if member.first_seen_at is None:
            state.members[pid] = member
            register(state, member)
        if not is_superseded(state, member):
            member.ceiling = member.highest_seen + state.policy.limits.sequence_jump
    return reason


def _refusal(state: GroupState, member: Member, seq: int) -> Reason | None:
    limits = state.policy.limits
    member.highest_seen = highest_seen(state, member)
    if is_superseded(state, member) and not _may_still_say(state, member, seq):
        return Reason.SUPERSEDED_INCARNATION
    if seq > member.highest_seen + limits.sequence_jump:
        return Reason.SEQUENCE_JUMP
    if member.first_seen_at is not None:
        return None
    if state.is_retired(member.pid):
        return Reason.SUPERSEDED_INCARNATION
    if len(state.names.get(member.name, ())) >= limits.incarnations_per_name:
        return None if _retire_one(state, member) else Reason.INCARNATIONS_FULL
    return Reason.MEMBERS_FULL if state.registered_count >= limits.members else None


def highest_seen(state: GroupState, member: Member) -> int:
    """Give the highest seq that was received of a member.

    The fast ways in do not keep count, so it is looked up; but an older incarnation never takes
    a fast way, and may come often, so what was counted last is still right for it.
    """
    if member.highest_seen and is_superseded(state, member):
        return member.highest_seen
    return member.highest_received()


def register(state: GroupState, member: Member) -> None:
    """Note that a member has sent its first message."""
    given_up = state.given_up_of_stranger(member.pid)
    if given_up and state.discipline.counts:
        member.skip(1, given_up)
        state.forget_abandoned(MessageId(member.pid, given_up))
    add_name(state, member)
    member.first_seen_at = state.now
    state.registered_count += 1
    state.roster = None


def add_name(state: GroupState, member: Member) -> None:
    """Put a newcomer among the incarnations of its name; the older ones lose the fast way in."""
    incarnations = state.names.get(member.name)
    if incarnations is None:
        state.names[member.name] = [member]
        return
    insort(incarnations, member, key=attrgetter("incarnation"))
    supersede(incarnations)


def supersede(incarnations: list[Member]) -> None:
    """Let all incarnations of a name but the newest lose the fast way in."""
    for older in incarnations[:-1]:
        older.highest_seen = older.highest_received()
        older.ceiling = NEVER_FAST


def is_superseded(state: GroupState, member: Member) -> bool:
    """Tell whether a newer incarnation of the same name has sent something."""
    incarnations = state.names.get(member.name)
    if incarnations is None or incarnations[-1] is member:
        return False
    return incarnations[-1].incarnation > member.incarnation


def _may_still_say(state: GroupState, member: Member, seq: int) -> bool:
    if seq in member.nodes or seq <= member.highest_seen:
        return True
    newer_seen_at = min(
        newer.first_seen_at
        for newer in state.names[member.name]
        if newer.incarnation > member.incarnation and newer.first_seen_at is not None
    )
    return state.now - newer_seen_at <= state.policy.limits.incarnation_grace_us


def _retire_one(state: GroupState, newcomer: Member) -> bool:
    """Retire the oldest incarnation of a name to make room, if it may go."""
    oldest = state.names[newcomer.name][0]
    is_asked_for = any(oldest.pid in frontier.pids for frontier in state.frontiers.values())
    if oldest.nodes or is_asked_for or newcomer.incarnation <= oldest.incarnation:
        return False
    del state.names[newcomer.name][0]
    del state.members[oldest.pid]
    for counted in (state.acknowledged, state.captured, state.delivered_through, state.uncounted):
        counted.pop(oldest.pid, None)
    state.covered.pop(oldest.pid, None)
    state.registered_count -= 1
    state.roster = None
    state.retired[newcomer.name] = oldest.incarnation
    return True
