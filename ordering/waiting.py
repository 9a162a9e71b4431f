"""Waiting: a held message takes its place, and gaps are told when they outlive an instant.

Most gaps close within the batch that opened them: the message was only overtaken. So a gap is told
(GapOpened) when the log's time first moves while it is open, and GapClosed is told only for those.
"""

from heapq import heapify, heappush
from operator import attrgetter, itemgetter
from typing import Final

from ordering.events import Event, GapClosed, GapOpened, Held, maker_of_blank
from ordering.frontier import Frontier
from ordering.judging import Place
from ordering.member import (
    CHILDREN,
    DETAILS,
    MESSAGE,
    OWNER,
    RECEIVED,
    SEQ,
    SINCE_AT,
    TOLD,
    Member,
    Node,
    Progress,
    add_child,
    requirement_of,
)
from ordering.requirement import Measure, UpTo
from ordering.state import Deadline, GroupState

blank_gap_opened: Final = maker_of_blank(GapOpened)
blank_gap_closed: Final = maker_of_blank(GapClosed)

SWEEP_MARGIN = 64
"""Closed gaps that may stay in a list besides as many as were open at the last sweep: few enough to
be nothing, many enough that sweeping is rare."""


def node_at(state: GroupState, place: Place, progress: Progress) -> Node:
    """Give the node of a place, opening a gap there if it is missing and nobody has waited yet.

    A gap is as old as the oldest wait for it: a message that has already waited for its first
    parent does not begin anew with its second.
    """
    owner, seq = place
    node = owner.nodes.get(seq)
    since_at = progress.held_at
    if node is None:
        requirement = progress.requirements[progress.step]
        node = owner.nodes[seq] = [since_at, None, owner, seq, None, None, None]
        if isinstance(requirement, UpTo):
            node[DETAILS] = requirement
        state.untold.append(place)
        if isinstance(owner, Frontier):
            owner.expect(seq)
        expect(state, node)
    elif node[SINCE_AT] is not RECEIVED and since_at < node[SINCE_AT]:
        node[SINCE_AT] = since_at
        expect(state, node)
    return node


def wait_at(own: Node, progress: Progress, target: Node, events: list[Event]) -> None:
    """Let a held message wait at a node."""
    progress.target = target
    add_child(target, own)
    events.append(Held(own[MESSAGE], progress.stated(progress.requirements[progress.step])))


def own_node(member: Member, seq: int) -> Node:
    """Give the node of a message that is about to be held: the one waited at, or a fresh one.

    The fresh one is not in `nodes` yet and has no message: `fill` does both.
    """
    node = member.nodes.get(seq)
    return [RECEIVED, None, member, seq, None, None, None] if node is None else node


def expect(state: GroupState, node: Node) -> None:
    """Note when a missing node will be given up, or met by time alone, if it ever is."""
    for deadline in deadlines_of(state, node):
        if len(state.deadlines) > state.sweep_at:
            state.deadlines = [one for one in state.deadlines if is_open(state, one)]
            heapify(state.deadlines)
            state.sweep_at = 2 * len(state.deadlines) + SWEEP_MARGIN
        heappush(state.deadlines, deadline)


def deadlines_of(state: GroupState, node: Node) -> list[Deadline]:
    """Give the instants at which something happens to a missing node if it does not come."""
    owner, seq = node[OWNER], node[SEQ]
    deadlines = []
    if state.gives_up:
        deadlines.append((node[SINCE_AT] + state.policy.after_us, owner.label, seq))
    if isinstance(owner, Frontier) and owner.measure is Measure.SENT_AT:
        deadlines.append((seq + state.policy.delta_us + 1, owner.label, seq))
    return deadlines


def is_open(state: GroupState, deadline: Deadline) -> bool:
    """Tell whether a deadline still stands for something that is missing."""
    _, label, seq = deadline
    node = state.node(label, seq)
    if node is None or not isinstance(node[SINCE_AT], int):
        return False
    return deadline in deadlines_of(state, node)


def is_met_by_time(state: GroupState, node: Node) -> bool:
    """Tell whether the network's bound alone now meets what a missing node stands for."""
    owner = node[OWNER]
    if not isinstance(owner, Frontier) or owner.measure is not Measure.SENT_AT:
        return False
    return bool(node[SEQ] < state.now - state.policy.delta_us)


def close_gap(node: Node, events: list[Event]) -> None:
    """Note that what a node stood for is here; call it before the message's own fate is told."""
    if node[TOLD] is True:
        node[TOLD] = None
        closed = blank_gap_closed()
        closed.requirement = requirement_of(node)
        events.append(closed)


def tell_gaps(state: GroupState, events: list[Event]) -> None:
    """Tell the gaps that have outlived the instant in which they opened, in the order of ids."""
    survivors: dict[Member | Frontier, list[Node]] = {}
    for owner, seq in state.untold:
        # Most gaps have closed again and go no further; some are here twice.
        node = owner.nodes.get(seq)
        if node is not None and is_missing(node) and node[TOLD] is not True:
            node[TOLD] = True
            survivors.setdefault(owner, []).append(node)
    state.untold.clear()
    for owner in sorted(survivors, key=attrgetter("label")):
        nodes = survivors[owner]
        nodes.sort(key=itemgetter(SEQ))
        for node in nodes:
            opened = blank_gap_opened()
            opened.requirement = requirement_of(node)
            events.append(opened)


def is_missing(node: Node) -> bool:
    """Tell whether a node stands for something that has not been received and is waited for."""
    return node[SINCE_AT].__class__ is int and node[CHILDREN] is not None


def sweep_untold(state: GroupState) -> None:
    """Drop closed gaps from the list of untold ones."""
    state.untold[:] = [
        (owner, seq)
        for owner, seq in state.untold
        if (node := owner.nodes.get(seq)) is not None and node[SINCE_AT].__class__ is int
    ]
