"""Time passing: the log's time moves, and what depends on it happens.

`now` is the log's time in microseconds. It moves only here, by what the host passes, and never
back.
"""

from heapq import heapify

from ordering.events import Event
from ordering.giving_up import give_up_due
from ordering.member import MESSAGE, SINCE_AT, progress_of
from ordering.policy import SECOND_US
from ordering.state import GroupState
from ordering.waiting import deadlines_of, is_missing, tell_gaps

SETTLE_EVERY_US = SECOND_US
"""How often the gaps of members are counted: often enough that a flood of gaps stays small, and
cheap when hosts move time with every message."""


def pass_to(state: GroupState, now: int, events: list[Event]) -> None:
    """Let the log's time reach `now`. Time that stands still or goes back changes nothing.

    1. Tell the gaps that were open before.
    2. Give up what is due.
    3. Settle the gaps of members that have too many.
    """
    if now <= state.now:
        return
    state.now = now
    if state.untold:
        tell_gaps(state, events)
    if state.deadlines:
        give_up_due(state, events)
    if now - state.settled_at >= SETTLE_EVERY_US:
        state.settled_at = now - now % SETTLE_EVERY_US
        settle_gaps(state)


def settle_gaps(state: GroupState) -> None:
    """Forget the oldest gaps of members that have more than the group remembers."""
    limit = state.policy.limits.gaps_per_member
    for member in state.members.values():
        # Two numbers per run, and a loose delivery is at most one run.
        if len(member.runs) + len(member.skipped) + 2 * len(member.loose) > 2 * limit:
            member.settle_gaps(limit, below=min(member.nodes, default=None))


def forgive(state: GroupState, waited_us: int) -> None:
    """Make every wait begin later by a stretch of time that shall not count.

    What is met by the network's bound alone is not moved: that bound is about the senders' clocks.
    """
    deadlines = []
    for owner in state.owners():
        for node in owner.nodes.values():
            if is_missing(node):
                node[SINCE_AT] += waited_us
                deadlines += deadlines_of(state, node)
            elif node[MESSAGE] is not None and (progress := progress_of(node)) is not None:
                progress.held_at += waited_us
    heapify(deadlines)
    state.deadlines = deadlines
