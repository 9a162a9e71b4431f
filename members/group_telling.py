"""Group telling: answering advertisements, and putting right who is in which group (GJLP).

Everybody who hears an advertisement would answer with all its groups. Here each waits a random time
and says only what nobody has said meanwhile. The same record goes out when somebody is heard to
have another list of members: both tell, both merge, and both have the same.
"""

from collections.abc import Iterable
from random import Random
from typing import Final

from ingest.wire.management import GroupInfo, GroupsInfo
from members.group_table import Group
from members.limits import Pace
from ordering.values import GroupId, MemberId

RECORD_BYTES: Final = 8_000
"""What one record tells at most. A larger group is told in several: merging does not mind."""

INFO_FIXED_BYTES: Final = 32
"""What a group takes in a record beside its texts, at most; a member takes 3 beside its pid."""


class GroupTelling:
    """Which groups are to be told, and when."""

    def __init__(self, *, rng: Random, pace: Pace) -> None:
        self._rng = rng
        self._pace = pace
        self._due: dict[GroupId, int] = {}

    def ask_for(self, groups: Iterable[Group], *, now: int) -> None:
        """Somebody wants to know of these groups, or knows them otherwise."""
        for group in groups:
            wait_us = self._rng.randrange(1, self._pace.answer_within_us)
            self._due.setdefault(group.group, now + wait_us)

    def heard(self, info: GroupInfo, group: Group) -> None:
        """Say nothing of a group of which another has said exactly what is known here."""
        if set(info.current) == set(group.current()) and set(info.left) == set(group.left()):
            self._due.pop(group.group, None)

    def forget(self, group: GroupId) -> None:
        """Say nothing of a group any more."""
        self._due.pop(group, None)

    def next_deadline(self) -> int | None:
        """Say when something is to be told next."""
        return min(self._due.values(), default=None)

    def due(self, groups: dict[GroupId, Group], *, now: int) -> list[GroupsInfo]:
        """Give the records that go out by now."""
        if not self._due:
            return []
        told = [name for name, due_at in self._due.items() if due_at <= now]
        for name in told:
            del self._due[name]
        infos = [info for name in told if name in groups for info in infos_of(groups[name])]
        return records_of(infos)


def infos_of(group: Group) -> list[GroupInfo]:
    """Write down a group, in several pieces if it has many members."""
    told = [(pid, False) for pid in group.current()] + [(pid, True) for pid in group.left()]
    pieces: list[list[tuple[MemberId, bool]]] = [[]]
    room = RECORD_BYTES
    for pid, is_left in told:
        cost = len(pid.encode("utf-8")) + 3
        if cost > room:
            pieces.append([])
            room = RECORD_BYTES
        pieces[-1].append((pid, is_left))
        room -= cost
    return [_info(group, piece) for piece in pieces]


def records_of(infos: list[GroupInfo]) -> list[GroupsInfo]:
    """Pack what is told into records, a large group alone."""
    records: list[list[GroupInfo]] = []
    room = 0
    for info in infos:
        cost = _bytes_of(info)
        if cost > room:
            records.append([])
            room = RECORD_BYTES
        records[-1].append(info)
        room -= cost
    return [GroupsInfo(tuple(record)) for record in records]


def _bytes_of(info: GroupInfo) -> int:
    texts = (info.group, info.description, info.discipline, info.acceptance)
    pids = (*info.current, *info.left)
    size = sum(len(text.encode("utf-8")) for text in (*texts, *pids))
    return size + 3 * len(pids) + INFO_FIXED_BYTES


def _info(group: Group, piece: list[tuple[MemberId, bool]]) -> GroupInfo:
    return GroupInfo(
        group.group,
        group.description,
        group.order.discipline,
        group.order.acceptance,
        current=tuple(pid for pid, is_left in piece if not is_left),
        left=tuple(pid for pid, is_left in piece if is_left),
    )
