"""The flow condition: a member sends only as much as the slowest of the others can take (SCO).

    minAL <= SQN < minAL + min(W, minBUF / (H * n))

`SQN` is the seq of the next message, `minAL` the lowest of this member's seqs that another is known
to expect, `W` the window, `minBUF` the fewest free buffers that another told, `n` the number of
members. Each may fill one nth of the buffers of the slowest, and a part H of that.

    W 64, five members, one of them with 40 free buffers, H 2:   40 / (2 * 5) = 4 messages
"""

from collections.abc import Iterable

from members.confirming import Confirming
from members.limits import MemberLimits
from ordering.values import MemberId


class Flow:
    """One member's sending in a causal group."""

    def __init__(self, confirming: Confirming, *, limits: MemberLimits) -> None:
        self._confirming = confirming
        self._limits = limits
        self._since: dict[MemberId, int] = {}
        """the next own seq when a member was first met: it need not confirm what came before"""

    def meet(self, others: Iterable[MemberId], *, next_seq: int) -> None:
        """Count these members from now on."""
        for member in others:
            if len(self._since) < self._limits.members_per_group:
                self._since.setdefault(member, next_seq)

    def allowed(self, others: Iterable[MemberId]) -> int:
        """Give how many messages may be without confirmation."""
        counted = [one for one in others if self._confirming.is_counted(one)]
        if not counted:
            return self._limits.window
        buffers = self._confirming.buffers
        fewest = min(buffers.get(one, self._limits.buffers) for one in counted)
        share = fewest // (self._limits.buffer_share * (len(counted) + 1))
        return min(self._limits.window, share)

    def slowest(self, own: MemberId, others: Iterable[MemberId], *, next_seq: int) -> int:
        """Give the lowest own seq that one of the others is known to expect."""
        expected = [
            max(self._confirming.expects(one, own), self._since.get(one, next_seq))
            for one in others
            if self._confirming.is_counted(one)
        ]
        return min(expected, default=next_seq)

    def may_send(self, own: MemberId, others: Iterable[MemberId], *, next_seq: int) -> bool:
        """Tell whether one more message may go out."""
        members = tuple(others)
        slowest = self.slowest(own, members, next_seq=next_seq)
        return next_seq < slowest + self.allowed(members)

    def waited_for(
        self, own: MemberId, others: Iterable[MemberId], *, next_seq: int
    ) -> set[MemberId]:
        """Give whose confirmation holds up sending."""
        members = tuple(others)
        allowed = self.allowed(members)
        return {
            one
            for one in members
            if self._confirming.is_counted(one)
            and next_seq
            >= max(self._confirming.expects(one, own), self._since.get(one, next_seq)) + allowed
        }
