"""Reliability: the SCO protocol's side of a membership in a causal group.

It puts together the matrix of confirmations, the gate and the duty (confirming.py) and the flow
condition (flow.py), and keeps what waits for it: own messages in the outbox, and who is waited for.
`Membership` calls it; plain groups have none.
"""

from collections import deque
from dataclasses import replace
from typing import NamedTuple

from members.confirming import GATED, Confirming
from members.errors import OutboxFullError
from members.flow import Flow
from members.group_table import Group
from members.limits import MemberLimits, Pace
from ordering.policy import GroupPolicy
from ordering.values import MemberId, MessageId


class Unsent(NamedTuple):
    """A message of the program that waits for the flow condition."""

    payload: bytes
    parents: tuple[MessageId, ...]
    dst: tuple[str, ...]


class Reliability:
    """What a causal group asks of a member besides ordering."""

    def __init__(
        self, group: Group, policy: GroupPolicy, *, limits: MemberLimits, pace: Pace
    ) -> None:
        self._group = group
        self._limits = limits
        self._pace = pace
        self.confirming = Confirming(policy.acceptance, group=group, limits=limits, pace=pace)
        self._flow = Flow(self.confirming, limits=limits)
        self._outbox: deque[Unsent] = deque()
        self._maybe_prompt_at: int | None = None

    def others(self, own: MemberId) -> tuple[MemberId, ...]:
        """Give the other members that are in the group."""
        return tuple(one for one in self._group.current() if one != own)

    def may_send(self, own: MemberId, *, next_seq: int) -> bool:
        """Tell whether the flow condition lets one more message out."""
        others = self.others(own)
        self._flow.meet(others, next_seq=next_seq)
        return self._flow.may_send(own, others, next_seq=next_seq)

    def keep(self, unsent: Unsent) -> None:
        """Let a message wait. Raises OutboxFullError when too many do."""
        if len(self._outbox) >= self._limits.outbox:
            raise OutboxFullError(
                f"{len(self._outbox)} messages wait for the others to confirm; send more when they"
                " have been delivered here"
            )
        self._outbox.append(unsent)

    @property
    def unsent(self) -> int:
        """How many of the program's messages wait."""
        return len(self._outbox)

    def next_unsent(self, own: MemberId, *, next_seq: int) -> Unsent | None:
        """Give the next message that may go out by now."""
        if self._outbox and self.may_send(own, next_seq=next_seq):
            return self._outbox.popleft()
        return None

    # Who is waited for.

    def waited_for(self, own: MemberId, *, next_seq: int) -> set[MemberId]:
        """Give whose confirmation holds up the gate or the outbox."""
        found = self.confirming.waited_for()
        if self._outbox:
            found |= self._flow.waited_for(own, self.others(own), next_seq=next_seq)
        return found

    def look(self, own: MemberId, *, next_seq: int, now: int) -> None:
        """See whether somebody is waited for, and begin or end prompting."""
        if not self.waited_for(own, next_seq=next_seq):
            self._maybe_prompt_at = None
        elif self._maybe_prompt_at is None:
            self._maybe_prompt_at = now + self._pace.ask_again_us
            self.confirming.suspect(self.waited_for(own, next_seq=next_seq), now=now)

    def prompt(self, own: MemberId, *, next_seq: int, now: int) -> list[MemberId] | None:
        """Give who is taken for failed by now if it is time to prompt the others; None if not."""
        if self._maybe_prompt_at is None or self._maybe_prompt_at > now:
            return None
        self._maybe_prompt_at = now + self._pace.tell_after_us
        return self.confirming.suspect(self.waited_for(own, next_seq=next_seq), now=now)

    def next_deadline(self) -> int | None:
        """Say when a control message or a prompt is due."""
        deadlines = (self._maybe_prompt_at, self.confirming.confirms_at())
        return min((one for one in deadlines if one is not None), default=None)


def engine_policy(policy: GroupPolicy) -> GroupPolicy:
    """Give the policy of the engine below the gate: it does not wait for confirmations itself."""
    below = GATED.get(policy.acceptance)
    return policy if below is None else replace(policy, acceptance=below)
