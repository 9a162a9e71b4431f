"""What a member has of a group, what it knows to exist, and what it does not want.

All three are runs per member. What it lacks is what exists, but for what it has or does not want:

    of alice   has 1-4, 7         so 5 and 6 exist: nobody sends a 7 before them
               bob tells 1-9      so 8 and 9 exist
               unwanted 1-3       it joined for what comes from now on
               lacks 5, 6, 8, 9
"""

from collections.abc import Iterable

from ingest.wire.holdings import Holding, holdings_of
from members.limits import MemberLimits
from ordering import runs as run
from ordering.runs import Runs
from ordering.values import MemberId, MessageId, split_pid


class Holdings:
    """One group's."""

    def __init__(self, limits: MemberLimits) -> None:
        self._limits = limits
        self.had: dict[MemberId, Runs] = {}
        """received: delivered, held, or refused for good"""
        self._heard: dict[MemberId, Runs] = {}
        self._unwanted: dict[MemberId, Runs] = {}
        self._wanted: dict[MemberId, Runs] = {}
        """wanted all the same: a newcomer's last messages, or its thread"""
        self._retired: dict[str, int] = {}
        """name -> the highest incarnation that is forgotten; nothing of it is lacking any more"""
        self._turn = 0

    def contains(self, message_id: MessageId) -> bool:
        """Tell whether a message was received."""
        runs = self.had.get(message_id.sender)
        return runs is not None and run.contains(runs, message_id.seq)

    def add(self, message_id: MessageId) -> None:
        """Note that a message was received."""
        sender, seq = message_id
        runs = self.had.get(sender)
        if runs is None:
            runs = self.had[sender] = []
            self._retire(split_pid(sender)[0])
        if runs and runs[-1] == seq - 1:
            runs[-1] = seq
        else:
            run.add_range(runs, seq, seq)

    def _retire(self, name: str) -> None:
        """Forget the oldest incarnations of a name that has too many."""
        own = [pid for pid in self.had if split_pid(pid)[0] == name]
        if len(own) <= self._limits.incarnations_per_name:
            return
        oldest = min(own, key=lambda pid: split_pid(pid)[1])
        for held in (self.had, self._heard, self._unwanted, self._wanted):
            held.pop(oldest, None)
        self._retired[name] = max(self._retired.get(name, 0), split_pid(oldest)[1])

    def is_retired(self, pid: MemberId) -> bool:
        """Tell whether an incarnation is so old that it is forgotten."""
        name, incarnation = split_pid(pid)
        return incarnation <= self._retired.get(name, 0)

    def hear(self, holdings: Iterable[Holding]) -> tuple[list[MemberId], bool]:
        """Take in what somebody has; give whose messages are lacking now, and if all had room."""
        lacking: list[MemberId] = []
        has_room = True
        for holding in holdings:
            pid = MemberId(holding.member)
            told = list(holding.runs)
            if not told or self.is_retired(pid):
                continue
            if self.had.get(pid) == told:
                continue
            heard = run.union(self._heard.get(pid, []), told)
            is_new = pid not in self._heard
            if len(heard) > self._limits.heard_ends or (
                is_new and len(self._heard) >= self._limits.members_per_group
            ):
                has_room = False
            else:
                self._heard[pid] = heard
            if self.lacking_of(pid):
                lacking.append(pid)
        return lacking, has_room

    def is_whole(self, pid: MemberId) -> bool:
        """Tell quickly whether nothing is lacking of a member; False may still mean so."""
        runs = self.had.get(pid)
        if runs is None:
            return pid not in self._heard
        if len(runs) != 2 or runs[0] != 1:
            return False
        heard = self._heard.get(pid)
        return heard is None or heard[-1] <= runs[1]

    def lacking_of(self, pid: MemberId) -> Runs:
        """Give what exists of a member and is wanted and not had."""
        had = self.had.get(pid, [])
        exists: Runs = [1, had[-1]] if had else []
        heard = self._heard.get(pid)
        if heard is not None:
            exists = run.union(exists, heard)
        rest = run.subtract(exists, had)
        unwanted = self._unwanted.get(pid)
        if unwanted is None or not rest:
            return rest
        wanted = self._wanted.get(pid)
        return run.subtract(rest, run.subtract(unwanted, wanted) if wanted else unwanted)

    def lacking(self) -> dict[MemberId, Runs]:
        """Give all that is lacking."""
        pids = dict.fromkeys((*self.had, *self._heard))
        found = ((pid, self.lacking_of(pid)) for pid in pids if not self.is_whole(pid))
        return {pid: runs for pid, runs in found if runs}

    def settle(self, holdings: Iterable[Holding]) -> None:
        """Want nothing of what somebody has by now, and nothing before it."""
        for holding in holdings:
            if holding.runs:
                pid = MemberId(holding.member)
                if pid in self._unwanted or len(self._unwanted) < self._limits.members_per_group:
                    unwanted = self._unwanted.setdefault(pid, [])
                    run.add_range(unwanted, 1, holding.runs[-1])

    def want(self, holdings: Iterable[Holding]) -> None:
        """Want these, though they were said before; they exist, because somebody has them."""
        for holding in holdings:
            pid = MemberId(holding.member)
            wanted = run.union(self._wanted.get(pid, []), list(holding.runs))
            if len(wanted) <= self._limits.heard_ends and (
                pid in self._wanted or len(self._wanted) < self._limits.members_per_group
            ):
                self._wanted[pid] = wanted

    def settle_all(self) -> None:
        """Want nothing of all that is lacking by now."""
        for pid, runs in self.lacking().items():
            self._unwanted[pid] = run.union(self._unwanted.get(pid, []), runs)

    def told(self, *, most_bytes: int) -> tuple[tuple[Holding, ...], bool]:
        """Write down what is had, and whether that names everybody of whom anything is had.

        What does not fit at once is told in turn, member by member.
        """
        pids = list(self.had)
        turn = self._turn % len(pids) if pids else 0
        ordered = ((pid, self.had[pid]) for pid in pids[turn:] + pids[:turn])
        written = holdings_of(ordered, most_bytes=most_bytes)
        is_whole = len(written) == len(pids)
        if not is_whole:
            self._turn = turn + max(1, len(written))
        return written, is_whole

    def has_more_than(self, holdings: Iterable[Holding], *, is_whole: bool) -> bool:
        """Tell whether something is had here that somebody who has this lacks."""
        told = {holding.member: holding for holding in holdings}
        for pid, runs in self.had.items():
            theirs = told.get(pid)
            if theirs is None:
                if is_whole:
                    return True
            elif theirs.runs != tuple(runs) and _is_beyond(runs, theirs):
                return True
        return False


def _is_beyond(runs: Runs, theirs: Holding) -> bool:
    beyond = run.subtract(runs, list(theirs.runs))
    if theirs.is_open:
        return bool(beyond)
    return bool(beyond) and beyond[0] <= theirs.runs[-1]
