"""Confirming: who is known to have what in a causal group, and what waits for that (SCO).

Every message of a causal group says what its sender has accepted of everybody (`ack`), and so does
every telling of holdings. From these each member keeps the papers' matrix: `AL[k][j]` is the next
seq of j that k is known to expect. On it rest

- the *gate*: at the levels `reliable`, `continuously_reliable` and `full` a message that the engine
  has delivered is told to the program only when everyone it is for is known to have it. At `full`
  the gate is passed in the order of the engine, at `continuously_reliable` in that of each sender;
- the *duty*: whoever has accepted another's message confirms it with its next message, or, if it
  has none for a moment, by a control message, which has no content and is for nobody;
- *failure*: whoever has been waited for in vain for long, though it was asked, is waited for no
  more, until it confirms something again. Whoever left, or came back under a later incarnation, is
  not waited for at all.

The flow condition (flow.py) reads the same matrix.
"""

from collections import deque
from collections.abc import Iterable
from typing import Final, NamedTuple

from ingest.wire.holdings import Holding
from members.events import Delivered
from members.group_table import Group
from members.limits import MemberLimits, Pace
from ordering.policy import Acceptance
from ordering.stamps import CausalStamps
from ordering.values import MemberId, MessageId

GATED: Final = {
    Acceptance.RELIABLE: Acceptance.SIMPLE,
    Acceptance.CONTINUOUSLY_RELIABLE: Acceptance.CONTINUOUS,
    Acceptance.FULL: Acceptance.CAUSAL,
}
"""Levels that ask for confirmation, and the level at which the engine works below the gate."""

FIRST: Final = 1


class Waiting(NamedTuple):
    """A message that the engine has delivered and the gate has not let pass."""

    event: Delivered
    audience: tuple[MemberId, ...]


def audience_of(message_id: MessageId, stamps: CausalStamps | None) -> tuple[MemberId, ...]:
    """Give whom a message is for, but for its sender."""
    if stamps is None:
        return ()
    named = stamps.dst or stamps.members
    return tuple(MemberId(one) for one in named if one != message_id.sender)


def is_control(message_id: MessageId, stamps: object, payload: bytes) -> bool:
    """Tell whether a message only confirms: it has no content and is for nobody."""
    return isinstance(stamps, CausalStamps) and stamps.dst == (message_id.sender,) and not payload


class Confirming:
    """One member's knowledge of what the others of a causal group have."""

    def __init__(
        self,
        acceptance: Acceptance,
        *,
        group: Group,
        limits: MemberLimits,
        pace: Pace,
    ) -> None:
        self._acceptance = acceptance
        self._group = group
        self._limits = limits
        self._pace = pace
        self._expects: dict[MemberId, dict[str, int]] = {}
        self.buffers: dict[MemberId, int] = {}
        self._waited_since: dict[MemberId, int] = {}
        self.failed: set[MemberId] = set()
        self._queue: deque[Waiting] = deque()
        self._maybe_owes_since: int | None = None

    @property
    def is_gated(self) -> bool:
        """Tell whether the level asks for confirmation."""
        return self._acceptance in GATED

    @property
    def waiting(self) -> int:
        """How many messages wait at the gate."""
        return len(self._queue)

    # What is heard.

    def hear(self, member: MemberId, stamps: CausalStamps) -> None:
        """Read what a message says about its sender. Called for every message, held ones too."""
        if member in self.buffers or len(self.buffers) < self._limits.members_per_group:
            self.buffers[member] = stamps.buf
        for other, expected in zip(stamps.members, stamps.ack, strict=False):
            self._raise(member, other, expected)

    def hear_holdings(self, member: MemberId, holdings: Iterable[Holding]) -> None:
        """Read what somebody tells to have: it confirms what is there without a gap."""
        for holding in holdings:
            if holding.runs and holding.runs[0] == FIRST:
                self._raise(member, holding.member, holding.runs[1] + 1)

    def _raise(self, member: MemberId, of: str, expected: int) -> None:
        row = self._row(member)
        if expected > row.get(of, FIRST) and (
            of in row or len(row) < self._limits.members_per_group
        ):
            row[of] = expected
            self.failed.discard(member)
            self._waited_since.pop(member, None)

    def _row(self, member: MemberId) -> dict[str, int]:
        row = self._expects.get(member)
        if row is None:
            row = {}
            if len(self._expects) < self._limits.members_per_group:
                self._expects[member] = row
        return row

    def expects(self, member: MemberId, of: MemberId) -> int:
        """Give the next seq of one member that another is known to expect."""
        return self._expects.get(member, {}).get(of, FIRST)

    # The gate.

    def accept(
        self, event: Delivered, stamps: CausalStamps | None, *, own: MemberId
    ) -> list[Delivered]:
        """Take a message that the engine delivers; give what may be told to the program now.

        That `own`, this member, has it needs no confirmation.
        """
        if not self.is_gated:
            return [event]
        audience = audience_of(event.id, stamps)
        if stamps is None or not stamps.dst:
            # It is for all: whom its sender knew, and who is known to be there by now.
            audience = (*audience, *self._group.current())
        others = dict.fromkeys(one for one in audience if one not in (own, event.id.sender))
        self._queue.append(Waiting(event, tuple(others)))
        return self.release()

    def release(self) -> list[Delivered]:
        """Give what may be told by now, in the order that the level asks for."""
        passed: list[Delivered] = []
        if self._acceptance is Acceptance.FULL:
            while self._queue and not self._lacking(self._queue[0]):
                passed.append(self._queue.popleft().event)
            return passed
        held: deque[Waiting] = deque()
        stopped: set[MemberId] = set()
        is_by_sender = self._acceptance is Acceptance.CONTINUOUSLY_RELIABLE
        for one in self._queue:
            sender = one.event.id.sender
            if (is_by_sender and sender in stopped) or self._lacking(one):
                stopped.add(sender)
                held.append(one)
            else:
                passed.append(one.event)
        self._queue = held
        return passed

    def _lacking(self, waiting: Waiting) -> list[MemberId]:
        """Give who is not known to have a message and must be waited for."""
        sender, seq = waiting.event.id
        return [
            member
            for member in waiting.audience
            if self.expects(member, sender) <= seq and self.is_counted(member)
        ]

    def is_counted(self, member: MemberId) -> bool:
        """Tell whether a member is waited for at all."""
        return member not in self.failed and not self._group.is_gone(member)

    # The duty.

    def owe(self, *, now: int) -> None:
        """Note that another's message was accepted and is to be confirmed."""
        if self._maybe_owes_since is None:
            self._maybe_owes_since = now

    def confirmed(self) -> None:
        """Note that a message went out, and every confirmation with it."""
        self._maybe_owes_since = None

    def confirms_at(self) -> int | None:
        """Say when a control message is due, if nothing else is sent before."""
        if self._maybe_owes_since is None:
            return None
        return self._maybe_owes_since + self._pace.confirm_after_us

    # Failure.

    def waited_for(self) -> set[MemberId]:
        """Give who holds up the gate."""
        found: set[MemberId] = set()
        for waiting in self._queue:
            found.update(self._lacking(waiting))
            if self._acceptance is Acceptance.FULL:
                break
        return found

    def suspect(self, waited_for: set[MemberId], *, now: int) -> list[MemberId]:
        """Take those for failed who have been waited for in vain for long."""
        self._waited_since = {member: self._waited_since.get(member, now) for member in waited_for}
        found = [
            member
            for member, since in self._waited_since.items()
            if now - since >= self._pace.suspect_after_us
        ]
        self.failed.update(found)
        return sorted(found)
