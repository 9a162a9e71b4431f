"""Snapshots: everything a group's engine remembers, as plain nested lists of plain values.

    [format, now, settled_at, position, members, held, nodes, recent, abandoned, retired,
     acknowledged, captured, delivered_through, uncounted]

Members are named once, in `members`, and by their index elsewhere. Deadlines are not stored: they
follow from the nodes. A snapshot holds nothing that depends on the process that made it.
"""

from heapq import heapify
from operator import attrgetter
from typing import Any, Final, TypeAlias

from ordering.earlier_snapshots import upgraded
from ordering.errors import SnapshotRefused
from ordering.frontier import Frontier
from ordering.member import (
    CHILDREN,
    MEMBERS,
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
    children_of,
    progress_of,
    requirement_of,
)
from ordering.names import supersede
from ordering.ordering_list import NONE_LOOSE, OrderingList
from ordering.plain_values import (
    read_message,
    read_requirement,
    write_message,
    write_requirement,
)
from ordering.runs import NO_RUNS
from ordering.state import GroupState
from ordering.values import MemberId, MessageId, name_of
from ordering.waiting import deadlines_of

Snapshot: TypeAlias = list[Any]

FORMAT: Final = 2


def take(state: GroupState) -> Snapshot:
    """Write down a state. What has expired by the log's time is left out."""
    seen, pids = state.seen()
    # Where nothing is held nobody waits.
    held, waited_at = _write_nodes(state, pids) if state.held_count else ([], [])
    return [
        FORMAT,
        state.now,
        state.settled_at,
        state.position,
        [
            _write_member(one)
            if one.loose or one.highest_seen or one.runs or one.skipped
            else (one.pid, one.first_seen_at, one.next, one.floor, NO_RUNS, NO_RUNS, 0)
            for one in seen
        ],
        held,
        waited_at,
        state.recent.remembered(pids, now=state.now),
        _write_abandoned(state) if state.abandoned else [],
        _write_pairs(state.retired) if state.retired else [],
        *(_write_counted(state) if state.is_counting() else ([], [], [], [])),
    ]


def without_held(snapshot: Snapshot) -> Snapshot:
    """Give a snapshot that knows what was delivered and given up, and holds nothing.

    What only one discipline keeps is left out too: another one has no use for it, and the same one
    learns it again from what is received.
    """
    nothing_held: Snapshot = [[], []]
    nothing_counted: Snapshot = [[], [], [], []]
    return [*snapshot[:5], *nothing_held, *snapshot[7:10], *nothing_counted]


def _write_nodes(state: GroupState, pids: list[MemberId]) -> tuple[list[Any], list[Any]]:
    """Write what is held, and who waits where."""
    owners: list[Member | Frontier] = [one for one in state.members.values() if one.nodes]
    owners += [one for one in state.frontiers.values() if one.nodes]
    # In the order of names and seqs: the order in which nodes were made is another after a restore.
    owners.sort(key=attrgetter("label"))
    nodes = [owner.nodes[seq] for owner in owners for seq in sorted(owner.nodes)]
    held = [node for node in nodes if node[MESSAGE] is not None]
    held_index = {node[MESSAGE].id: at for at, node in enumerate(held)}
    index = {pid: at for at, pid in enumerate(pids)} if held else {}
    return (
        [_write_held(node, index) for node in held],
        [_write_node(node, held_index) for node in nodes if node[CHILDREN] is not None],
    )


def _write_abandoned(state: GroupState) -> list[Any]:
    return [
        [*message_id, at, account, state.strangers.get(message_id.sender) == message_id.seq]
        for message_id, (at, account) in state.abandoned.items()
        if state.is_abandoned(message_id)
    ]


def _write_counted(state: GroupState) -> tuple[list[Any], list[Any], list[Any], list[Any]]:
    """Write what only the disciplines that count remember."""
    return (
        [[by, _write_pairs(row)] for by, row in state.acknowledged.items()],
        [
            [pid, one.next, one.runs_beyond(), list(one.skipped)]
            for pid, one in state.captured.items()
        ],
        _write_pairs(state.delivered_through),
        [[pid, sorted(deliveries)] for pid, deliveries in state.uncounted.items()],
    )


def _write_member(member: Member) -> list[Any]:
    if member.loose:
        member.fold()
    highest_seen = member.highest_seen
    if highest_seen and highest_seen <= member.highest():
        highest_seen = 0
    return [
        member.pid,
        member.first_seen_at,
        member.next,
        member.floor,
        member.runs_beyond(),
        list(member.skipped),
        highest_seen,
    ]


def _write_held(node: Node, index: dict[MemberId, int]) -> list[Any]:
    progress = progress_of(node)
    steps = None
    if progress is not None:
        given_up = [write_requirement(one) for one in progress.given_up]
        steps = [progress.step, progress.held_at, given_up]
    return [index[node[OWNER].pid], node[SEQ], write_message(node[MESSAGE]), steps]


def _write_node(node: Node, held_index: dict[MessageId, int]) -> list[Any]:
    """Write who waits at a node, and since when it is missing if it is."""
    label, seq = node[OWNER].label, node[SEQ]
    children = [held_index[child[MESSAGE].id] for child in children_of(node)]
    written: list[Any] = [*label, seq, children]
    if node[MESSAGE] is None:
        is_told = node[TOLD] is True
        written += [node[SINCE_AT], write_requirement(requirement_of(node)), is_told]
    return written


def put_back(state: GroupState, snapshot: Snapshot) -> None:
    """Fill a fresh state from a snapshot."""
    is_of_today = bool(snapshot) and snapshot[0] == FORMAT
    if not is_of_today:
        snapshot = _of_todays_format(snapshot)
    _, state.now, state.settled_at, state.position, members, held, nodes, recent, *rest = snapshot
    abandoned, retired, *counted = rest
    pids = _read_members(state, members)
    if is_of_today:  # earlier ones may have numbered members in another order
        state.roster = list(state.members.values()), pids
    state.recent.recall(recent, pids=pids, position=state.position)
    if retired:
        state.retired.update(map(tuple, retired))
    if any(counted):
        _read_counted(state, counted)
    if held or nodes:
        _read_nodes(state, held, nodes, pids)
    if len({member.name for member in state.members.values()}) < len(state.members):
        for incarnations in state.names.values():
            supersede(incarnations)
    if abandoned:
        _read_abandoned(state, abandoned)


def _of_todays_format(snapshot: Snapshot) -> Snapshot:
    found = snapshot[0] if snapshot else "nothing"
    snapshot = list(upgraded(snapshot))
    if not snapshot or snapshot[0] != FORMAT:
        raise SnapshotRefused(
            f"the snapshot has format {found}, this engine reads format {FORMAT}:"
            " restore it with the version that wrote it, or replay the log"
        )
    return snapshot


def _write_pairs(values: dict[str, int]) -> list[list[Any]]:
    return [[key, value] for key, value in values.items()]


def _read_counted(state: GroupState, counted: list[Any]) -> None:
    acknowledged, captured, delivered_through, uncounted = counted
    state.acknowledged.update((by, dict(map(tuple, row))) for by, row in acknowledged)
    for pid, upcoming, beyond, skipped in captured:
        one = state.captured[pid] = OrderingList()
        one.next, one.runs, one.skipped = upcoming, list(beyond), list(skipped)
        one.fold()
    state.delivered_through.update(map(tuple, delivered_through))
    for pid, deliveries in uncounted:
        state.uncounted[pid] = [(seq, sent_at) for seq, sent_at in deliveries]


def _read_members(state: GroupState, records: list[list[Any]]) -> list[MemberId]:
    """Put the members back, each as the newest of its name.

    Fields are filled in by hand: in a quiet group members are most of the work, and a call for each
    would double it.
    """
    members, make = state.members, Member.__new__
    sequence_jump = state.policy.limits.sequence_jump
    for pid, first_seen_at, upcoming, floor, beyond, skipped, highest_seen in records:
        member = members[pid] = make(Member)
        member.pid = pid
        member.name = name_of(pid)
        member.first_seen_at = first_seen_at
        member.next = upcoming
        member.settled = upcoming - 1
        member.floor = floor
        member.highest_seen = highest_seen
        member.held_count = 0
        highest = highest_seen if highest_seen >= upcoming else upcoming - 1
        member.ceiling = highest + sequence_jump
        member.nodes = {}
        member.loose, member.runs, member.skipped = NONE_LOOSE, NO_RUNS, NO_RUNS
        if beyond or skipped:
            member.runs, member.skipped = list(beyond), list(skipped)
            member.fold()
            member.ceiling = member.highest_received() + sequence_jump
    pids = [record[0] for record in records]
    state.registered_count = len(pids)
    return pids


def _read_nodes(state: GroupState, held: list[Any], nodes: list[Any], pids: list[MemberId]) -> None:
    """Put back what is held, and who waits where."""
    held_nodes = [_read_held(state, record, pids) for record in held]
    for record in nodes:
        _read_node(state, record, held_nodes)
    heapify(state.deadlines)
    for node in held_nodes:
        state.discipline.on_held(state, node)


def _read_held(state: GroupState, record: list[Any], pids: list[MemberId]) -> Node:
    at, seq, plain, steps = record
    member = state.members[pids[at]]
    message = read_message(MessageId(member.pid, seq), plain)
    progress = None
    if steps is not None:
        step, held_at, given_up = steps
        progress = Progress(state.discipline.requires(message), step=step, held_at=held_at)
        progress.given_up = [read_requirement(one) for one in given_up]
    node: Node = [RECEIVED, message, member, seq, None, None, progress]
    member.nodes[seq] = node
    member.ceiling = max(member.ceiling, seq + state.policy.limits.sequence_jump)
    member.held_count += 1
    state.held_count += 1
    return node


def _read_node(state: GroupState, record: list[Any], held: list[Node]) -> None:
    kind, key, seq, children, *missing = record
    owner = state.member(key) if kind == MEMBERS else state.frontier(key)
    node = owner.nodes.get(seq)
    if node is None:
        since_at, requirement, is_told = missing
        node = [since_at, None, owner, seq, None, None, read_requirement(requirement)]
        owner.nodes[seq] = node
        if is_told:
            node[TOLD] = True
        else:
            state.untold.append((owner, seq))
        if isinstance(owner, Frontier):
            owner.expect(seq)
        state.deadlines += deadlines_of(state, node)
    for at in children:
        child = held[at]
        add_child(node, child)
        progress = progress_of(child)
        if progress is not None:
            progress.target = node


def _read_abandoned(state: GroupState, abandoned: list[Any]) -> None:
    for sender, seq, at, account, is_stranger in abandoned:
        message_id = MessageId(sender, seq)
        if is_stranger:
            state.strangers[sender] = seq
        state.abandoned[message_id] = (at, account)
        state.abandoned_by.setdefault(account, {})[message_id] = None
