"""What is known to be delivered of each member without a gap, so that a vector is compared at once.

`covered[pid]` is a seq below which all of the member was delivered and nothing was given up. What
was delivered stays so: the number is never too high. It may be behind, because not every delivery
is told here; whoever finds a vector that is not covered looks closely and refreshes.

    covered = {alice: 4, bob: 9}
    covers((alice, bob), (4, 7))     True: alice 1 to 3 and bob 1 to 6 were delivered
    covers((alice, bob), (5, 7))     False, unless a closer look says otherwise
"""

from collections.abc import Iterable
from operator import ge

from ordering.member import Member

NOTHING = 0
"""Nothing is known: every vector that names the member is looked at closely."""


class Covered(dict[str, int]):
    """The numbers, each found out when it is first asked for."""

    __slots__ = ("_members",)

    def __init__(self, members: dict[str, Member]) -> None:
        super().__init__()
        self._members = members

    def __missing__(self, pid: str) -> int:
        """Ask the member. Names that have not sent anything are not kept: they may be made up."""
        member = self._members.get(pid)
        if member is None or member.first_seen_at is None or member.skipped:
            return NOTHING
        self[pid] = member.next
        return member.next

    def covers(self, pids: Iterable[str], all_upcoming: Iterable[int]) -> bool:
        """Tell whether everything that a vector counts is surely delivered. All of it runs in C."""
        return all(map(ge, map(self.__getitem__, pids), all_upcoming))

    def refresh(self, pids: Iterable[str]) -> None:
        """Ask these members again."""
        for pid in pids:
            self.pop(pid, None)
