"""Causal order (SCO): a message comes after everything that its sender had seen when it spoke.

A message says what its sender knew: for each member, the next seq that does not precede it
(`csn`). In the service the log holds every message of the group, so the paper's "wait until
everyone has spoken since" becomes "wait until all that `csn` counts has been delivered", and nobody
waits for silence.

The acceptance level of the group decides how much is asked for:

    simple                  nothing
    continuous              the sender's earlier messages
    causal                  those, and what csn counts
    reliable                everyone it is for has acknowledged it
    continuously_reliable   that, and the sender's earlier messages
    full                    that, and what csn counts

What the members have acknowledged is read from the `ack` entries of the messages that were
received, held ones too: `ack[j]` of a message of k says that k has all of j's messages below it.
This is the paper's matrix AL[k][j], kept as one frontier for each pair.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from ordering.counted import Counted
from ordering.disciplines import fifo
from ordering.disciplines.discipline import Reached, Requires
from ordering.frontier import key_for
from ordering.policy import Acceptance
from ordering.requirement import Measure, Requirement, UpTo
from ordering.stamps import CausalStamps
from ordering.values import MemberId, Message

if TYPE_CHECKING:
    from ordering.state import GroupState

ACKNOWLEDGED_LEVELS: Final = frozenset(
    {Acceptance.RELIABLE, Acceptance.CONTINUOUSLY_RELIABLE, Acceptance.FULL}
)
CONTINUOUS_LEVELS: Final = frozenset(
    {
        Acceptance.CONTINUOUS,
        Acceptance.CAUSAL,
        Acceptance.CONTINUOUSLY_RELIABLE,
        Acceptance.FULL,
    }
)


def requires_at(level: Acceptance) -> Requires:
    """Make the function that says what a message requires at an acceptance level."""

    def requires(message: Message) -> Sequence[Requirement]:
        stamps = message.stamps
        if not isinstance(stamps, CausalStamps):
            return fifo.requires(message) if level in CONTINUOUS_LEVELS else ()
        if level is Acceptance.CAUSAL:
            return Counted(message.id, stamps.members, stamps.csn)
        required: list[Requirement] = []
        if level is Acceptance.FULL:
            required += Counted(message.id, stamps.members, stamps.csn)
        elif level in CONTINUOUS_LEVELS:
            required += fifo.requires(message)
        if level in ACKNOWLEDGED_LEVELS:
            required += _confirmed(message, stamps)
        return tuple(required)

    return requires


def _confirmed(message: Message, stamps: CausalStamps) -> list[Requirement]:
    """Give whose confirmation is needed: everyone it is for, but for the sender itself."""
    sender, seq = message.id
    return [
        UpTo(sender, seq, Measure.ACKNOWLEDGED, by=MemberId(member))
        for member in stamps.dst or stamps.members
        if member != sender
    ]


def acknowledgements(state: "GroupState", message: Message) -> Reached:
    """Read what a received message says that its sender has; give what is new of it."""
    stamps = message.stamps
    if not isinstance(stamps, CausalStamps):
        return []
    by = message.id.sender
    row = state.acknowledged.setdefault(by, {})
    reached: Reached = []
    for member, expected in zip(stamps.members, stamps.ack, strict=False):
        if expected - 1 <= row.get(member, 0):
            continue
        # A row is as wide as a group: a hostile member cannot fill memory with made-up names.
        if member in row or len(row) < state.policy.limits.members:
            row[member] = expected - 1
            reached.append((key_for(member, Measure.ACKNOWLEDGED, by=by), expected - 1))
    return reached
