"""Snapshots: everything a group's engine remembers, as plain nested lists of plain values.

    [format, now, position, members, held, nodes, recent, abandoned]

Members are named once, in `members`, and by their index everywhere else. Deadlines are not stored:
they follow from the nodes. A snapshot holds no digest that depends on the process that made it.
"""

from heapq import heapify
from typing import Any, TypeAlias

from ordering.errors import SnapshotRefused
from ordering.member import ENTRIES, REQUIREMENT, SINCE_AT, Entry, Progress
from ordering.recent import Remembered
from ordering.requirement import Measure, Requirement, UpTo
from ordering.stamps import CausalStamps, ObjectStamps, SignificantStamps, Stamps
from ordering.state import GroupState
from ordering.values import MemberId, Message, MessageId

Snapshot: TypeAlias = list[Any]

FORMAT = 1

STAMP_KINDS: tuple[type[Stamps], ...] = (CausalStamps, SignificantStamps, ObjectStamps)


def take(state: GroupState) -> Snapshot:
    """Write down a state. What has expired by the log's time is left out."""
    index: dict[str, int] = {}
    members: list[Any] = []
    held: list[Any] = []
    held_at: dict[tuple[str, int], int] = {}
    for member in list(state.members.values()):
        member.fold()
        if member.first_seen_at is None and not member.waiting:
            del state.members[member.pid]
            continue
        index[member.pid] = len(members)
        beyond = member.delivered_runs() if member.loose or member.runs else []
        members.append(
            [member.pid, member.first_seen_at, member.next, member.floor, beyond, member.skipped]
        )
    for member in state.members.values():
        for seq, entry in member.held.items():
            held_at[member.pid, seq] = len(held)
            held.append(_write_entry(entry, index))
    nodes = [
        [
            index[member.pid],
            seq,
            node[SINCE_AT],
            _write_requirement(node[REQUIREMENT]),
            [held_at[entry[0].id] for entry in node[ENTRIES:]],
        ]
        for member in state.members.values()
        for seq, node in member.waiting.items()
    ]
    recent = [
        [
            remembered.position,
            index[remembered.message_id.sender],
            remembered.message_id.seq,
            remembered.digest,
            delivered_at,
        ]
        for remembered, delivered_at in state.recent.remembered(
            position=state.position, now=state.now
        )
    ]
    abandoned = [
        [message_id.sender, message_id.seq, at, account]
        for message_id, (at, account) in state.abandoned.items()
        if state.is_abandoned(message_id)
    ]
    return [FORMAT, state.now, state.position, members, held, nodes, recent, abandoned]


def put_back(state: GroupState, snapshot: Snapshot) -> None:
    """Fill a fresh state from a snapshot."""
    if not snapshot or snapshot[0] != FORMAT:
        found = snapshot[0] if snapshot else "nothing"
        raise SnapshotRefused(
            f"the snapshot has format {found}, this engine reads format {FORMAT}:"
            " restore it with the version that wrote it, or replay the log"
        )
    _, state.now, state.position, members, held, nodes, recent, abandoned = snapshot
    pids: list[str] = []
    for pid, first_seen_at, upcoming, floor, beyond, skipped in members:
        member = state.member(pid)
        pids.append(pid)
        member.first_seen_at = first_seen_at
        if first_seen_at is not None:
            state.registered_count += 1
        member.next, member.floor = upcoming, floor
        member.runs, member.skipped = list(beyond), list(skipped)
        member.fold()
    entries = [_read_entry(state, record, pids) for record in held]
    for entry in entries:
        entry[1].held[entry[2]] = entry
    state.held_count = len(entries)
    for at, seq, since_at, requirement, waiting in nodes:
        member = state.members[pids[at]]
        member.waiting[seq] = [
            since_at,
            None,
            _read_requirement(requirement),
            *(entries[i] for i in waiting),
        ]
        for i in waiting:
            progress = entries[i][3]
            if progress is not None:
                progress.target = (pids[at], seq)
        if since_at is not None and state.gives_up:
            state.deadlines.append((since_at + state.policy.after_us, pids[at], seq))
    heapify(state.deadlines)
    state.recent.recall(
        [
            (Remembered(position, MessageId(MemberId(pids[at]), seq), bytes(digest)), delivered_at)
            for position, at, seq, digest, delivered_at in recent
        ]
    )
    for sender, seq, at, account in abandoned:
        message_id = MessageId(sender, seq)
        state.abandoned[message_id] = (at, account)
        state.abandoned_by.setdefault(account, {})[message_id] = None


def _write_entry(entry: Entry, index: dict[str, int]) -> list[Any]:
    message, member, seq, progress = entry
    return [
        index[member.pid],
        seq,
        [[parent.sender, parent.seq] for parent in message.parents],
        message.content,
        _write_stamps(message.stamps),
        list(message.origin),
        None if progress is None else [progress.step, progress.held_at, progress.is_orphan],
    ]


def _read_entry(state: GroupState, record: list[Any], pids: list[str]) -> Entry:
    at, seq, parents, content, stamps, origin, steps = record
    pid = MemberId(pids[at])
    message = Message(
        MessageId(pid, seq),
        tuple(MessageId(sender, parent_seq) for sender, parent_seq in parents),
        bytes(content),
        _read_stamps(stamps),
        tuple(origin),
    )
    progress = None
    if steps is not None:
        step, held_at, is_orphan = steps
        progress = Progress(
            state.requires(message), step=step, held_at=held_at, is_orphan=is_orphan
        )
    return message, state.members[pid], seq, progress


def _write_requirement(requirement: Requirement) -> list[Any]:
    if isinstance(requirement, UpTo):
        return [requirement.sender, requirement.seq, requirement.measure.value, requirement.by]
    return [requirement.sender, requirement.seq]


def _read_requirement(record: list[Any]) -> Requirement:
    if len(record) == 2:
        return MessageId(record[0], record[1])
    sender, seq, measure, by = record
    return UpTo(sender, seq, Measure(measure), by)


def _write_stamps(stamps: Stamps | None) -> list[Any] | None:
    if stamps is None:
        return None
    return [STAMP_KINDS.index(type(stamps)), *stamps]


def _read_stamps(record: list[Any] | None) -> Stamps | None:
    if record is None:
        return None
    stamps: Stamps = STAMP_KINDS[record[0]](*(_tuples(field) for field in record[1:]))
    return stamps


def _tuples(value: Any) -> Any:
    """Turn lists, as an encoding may give them back, into the tuples that stamps are made of."""
    return tuple(_tuples(item) for item in value) if isinstance(value, list | tuple) else value
