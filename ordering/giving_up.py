"""Giving up: what to do when something that is waited for has not come in time.

When a gap's time is over:

- *release*: what waits for it is delivered with everything below it, announced and marked.
- *quarantine*: what waits for it is quarantined with everything below it.

Either way the missing id is remembered. Later messages that ask for it do not wait again: they are
delivered and marked, or quarantined at once. If it comes after all it is delivered and marked late.

"This sender up to n" is given up as a whole: everything of the sender that is missing up to n is
skipped, and what of it is held goes first.

    fifo, delivered 1; held 3, 5, 6; 5 has waited long enough for "up to 4"
    release: skipped 2 and 4; delivered 3, 5, 6, all marked
    quarantine: 3, 5 and 6 are quarantined, and so is 7 when it comes, until 2 to 6 have come
"""

from heapq import heappop

from ordering import runs as run
from ordering.capturing import skip_uncaptured
from ordering.chains import take_subtree
from ordering.delivering import free, reach
from ordering.errors import EngineFault
from ordering.events import Abandoned, Event, GapOpened
from ordering.frontier import Frontier
from ordering.member import (
    DEAD,
    MESSAGE,
    OWNER,
    SEQ,
    SINCE_AT,
    TOLD,
    Member,
    Node,
    children_of,
    let_go,
    progress_of,
    requirement_of,
)
from ordering.policy import GiveUp
from ordering.refusing import refuse
from ordering.requirement import Measure, Requirement, UpTo
from ordering.state import GroupState
from ordering.values import MemberId, MessageId
from ordering.waiting import is_met_by_time, is_open


def give_up_due(state: GroupState, events: list[Event]) -> None:
    """Give up everything whose time is over, oldest first."""
    while state.deadlines and state.deadlines[0][0] <= state.now:
        deadline = heappop(state.deadlines)
        if not is_open(state, deadline):
            continue
        node = state.node(deadline[1], deadline[2])
        if node is None:
            raise EngineFault(f"the deadline {deadline} is open but nobody waits there")
        owner: Member | Frontier = node[OWNER]
        if isinstance(owner, Frontier):
            if is_met_by_time(state, node):
                reach(state, [(owner.key, node[SEQ])], events)
            else:
                _give_up_node(state, node, events)
        elif _is_counted(node):
            _give_up_prefix(state, owner, node[SEQ], events)
        else:
            _give_up_node(state, node, events)


def _is_counted(node: Node) -> bool:
    """Tell whether someone waits here for a sender *up to* this id."""
    return any(_is_delivered_up_to(_stated(child)) for child in children_of(node))


def _stated(child: Node) -> Requirement | None:
    progress = progress_of(child)
    return None if progress is None else progress.requirements[progress.step]


def _is_delivered_up_to(requirement: Requirement | None) -> bool:
    return isinstance(requirement, UpTo) and requirement.measure is Measure.DELIVERED


def _give_up_prefix(state: GroupState, member: Member, seq: int, events: list[Event]) -> None:
    """Give up all that is missing of a member up to a seq.

    1. The holes are what lies between the prefix and seq and is neither delivered nor held.
    2. To release, skip them all, so that the prefix moves as far as it can. A name that has not
       sent anything is remembered like an abandoned id: made-up names must not fill the memory.
    3. Give up the nodes in the holes, lowest first: what was held below seq comes before it.
    """
    held = [one for one, node in member.nodes.items() if node[MESSAGE] is not None and one <= seq]
    there = run.union(member.runs_beyond(), run.from_numbers(held))
    holes = run.subtract([member.next, seq], run.union(there, member.skipped))
    run.add_range(holes, seq, seq)
    nodes = [node for node in member.nodes.values() if run.contains(holes, node[SEQ])]
    nodes.sort(key=lambda node: node[SEQ])
    if member.first_seen_at is None:
        account = children_of(nodes[0])[0][MESSAGE].id.sender
        _give_up_stranger(state, member.pid, seq, account)
    else:
        for low, high in run.pairs(holes):
            member.skip(low, high)
    for node in nodes:
        if node[SINCE_AT] is not DEAD:
            _give_up_node(state, node, events)


def _give_up_node(state: GroupState, node: Node, events: list[Event]) -> None:
    """Give up one missing node: free or quarantine those who wait there."""
    owner: Member | Frontier = node[OWNER]
    seq: int = node[SEQ]
    del owner.nodes[seq]
    node[SINCE_AT] = DEAD
    _forget_if_idle(state, owner)
    if node[TOLD] is not True:
        events.append(GapOpened(requirement_of(node)))
    events.append(Abandoned(requirement_of(node)))
    _remember(state, node)
    if state.policy.give_up is GiveUp.RELEASE:
        _pass_over(node)
        waiting: list[Node] = []
        let_go(node, waiting)
        free(state, waiting, events, is_release=True)
    else:
        _quarantine_below(state, node, events)


def _remember(state: GroupState, node: Node) -> None:
    """Remember that something was given up, so that nobody waits for it again.

    Where messages count a sender up to a number, the id is skipped, and so remembered in the
    sender's ordering list; else it is remembered for a while on the account of its first waiter.
    """
    owner: Member | Frontier = node[OWNER]
    seq: int = node[SEQ]
    account = children_of(node)[0][MESSAGE].id.sender
    if isinstance(owner, Frontier):
        _remember_uncaptured(state, requirement_of(node), account)
    elif owner.is_skipped(seq) or state.strangers.get(owner.pid) == seq:
        return
    elif state.discipline.counts and owner.first_seen_at is not None:
        owner.skip(seq, seq)
    else:
        state.abandon(MessageId(owner.pid, seq), account=account)


def _remember_uncaptured(state: GroupState, requirement: Requirement, account: str) -> None:
    """Remember that a member was given up as to what was captured of it.

    Other frontiers need no memory: each message asks them for something of its own.
    """
    if not isinstance(requirement, UpTo) or requirement.measure is not Measure.CAPTURED:
        return
    sender, seq = requirement.sender, requirement.seq
    member = state.members.get(sender)
    if member is None or member.first_seen_at is None:
        _give_up_stranger(state, sender, seq, account)
    else:
        skip_uncaptured(state, member, seq)


def _give_up_stranger(state: GroupState, pid: MemberId, seq: int, account: str) -> None:
    """Remember that a name that has not sent anything was given up, up to a seq."""
    seq = max(seq, state.strangers.get(pid, 0))
    state.abandon(MessageId(pid, seq), account=account)
    if state.policy.limits.abandoned_per_sender:
        state.strangers[pid] = seq


def _forget_if_idle(state: GroupState, owner: Member | Frontier) -> None:
    """Forget a frontier, or a name that has not sent anything, once nobody waits there."""
    if owner.nodes:
        return
    if isinstance(owner, Frontier):
        del state.frontiers[owner.key]
    elif owner.first_seen_at is None:
        del state.members[owner.pid]


def _pass_over(node: Node) -> None:
    """Let those who wait at a given-up node go on to what they need next.

    Those who count a sender up to here are judged anew if the prefix was skipped: something below
    may still be held.
    """
    owner: Member | Frontier = node[OWNER]
    is_skipped = isinstance(owner, Member) and owner.is_skipped(node[SEQ])
    for child in children_of(node):
        progress = progress_of(child)
        if progress is None or (is_skipped and _is_delivered_up_to(_stated(child))):
            continue
        progress.given_up.append(progress.requirements[progress.step])
        progress.step += 1


def _quarantine_below(state: GroupState, node: Node, events: list[Event]) -> None:
    for child in take_subtree(state, node):
        refuse(state, child[OWNER], child[MESSAGE], events)
