"""Waiting: a held message takes its place at the id that it waits for."""

from heapq import heapify, heappush

from ordering.errors import EngineFault
from ordering.events import Event, GapClosed, GapOpened, Held
from ordering.judging import Target
from ordering.member import ENTRIES, REQUIREMENT, SINCE_AT, Entry, Member, Node
from ordering.state import GroupState

SWEEP_MARGIN = 64
"""Closed gaps that may stay in the heap of deadlines besides as many as were open at the last
sweep: few enough to be nothing, many enough that sweeping is rare."""


def wait_at(state: GroupState, entry: Entry, target: Target, events: list[Event]) -> None:
    """Let a held message wait at an id; open a gap if nobody has waited for it and it is missing.

    A gap is as old as the oldest wait for it: a message that has already waited for its first
    parent does not begin anew with its second.
    """
    message, _, _, progress = entry
    if progress is None:
        raise EngineFault(f"{message.id} came to wait without a list of its requirements")
    progress.target = target
    sender, seq = target
    member = state.member(sender)
    node = member.waiting.get(seq)
    since_at = progress.held_at
    requirement = progress.requirements[progress.step]
    events.append(Held(message, requirement))
    if node is None:
        is_received = seq in member.held
        node = member.waiting[seq] = [None if is_received else since_at, None, requirement]
        if not is_received:
            events.append(GapOpened(requirement))
            expect(state, target, since_at)
    elif node[SINCE_AT] is not None and since_at < node[SINCE_AT]:
        node[SINCE_AT] = since_at
        expect(state, target, since_at)
    node.append(entry)


def expect(state: GroupState, target: Target, since_at: int) -> None:
    """Note when to give up something that is missing, if the group ever does."""
    if not state.gives_up:
        return
    if len(state.deadlines) > state.sweep_at:
        state.deadlines = [deadline for deadline in state.deadlines if is_open(state, deadline)]
        heapify(state.deadlines)
        state.sweep_at = 2 * len(state.deadlines) + SWEEP_MARGIN
    heappush(state.deadlines, (since_at + state.policy.after_us, target[0], target[1]))


def is_open(state: GroupState, deadline: tuple[int, str, int]) -> bool:
    """Tell whether a deadline still stands for a gap."""
    at, sender, seq = deadline
    member = state.members.get(sender)
    node = member.waiting.get(seq) if member is not None else None
    return node is not None and node[SINCE_AT] == at - state.policy.after_us


def close_gap(member: Member, seq: int, events: list[Event]) -> None:
    """Note that an id has been received; call it before the message's own fate is told."""
    node = member.waiting.get(seq)
    if node is not None and node[SINCE_AT] is not None:
        node[SINCE_AT] = None
        events.append(GapClosed(node[REQUIREMENT]))


def waiting_below(node: Node) -> int:
    """Count all held messages that hang from a node, however far down."""
    count = 0
    stack: list[Entry] = node[ENTRIES:]
    while stack:
        _, member, seq, _ = stack.pop()
        count += 1
        below = member.waiting.get(seq)
        if below is not None:
            stack += below[ENTRIES:]
    return count
