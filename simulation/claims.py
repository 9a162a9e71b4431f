"""What a hostile sender writes into a message so that it claims to come after certain ids.

`simulation.hostile` speaks of parents; what that becomes depends on the discipline of the group:
the parents themselves, a causal vector, or other stamps. With it goes what the message then
requires by the definition of the order: exactly what it claims.
"""

from __future__ import annotations

from ordering.stamps import CausalStamps, Stamps
from ordering.values import MessageId
from simulation.definitions import causal, plain
from simulation.history import History


def claim(
    message_id: MessageId,
    *,
    parents: tuple[MessageId, ...],
    discipline: str,
    history: History,
) -> tuple[Stamps | None, int]:
    """The stamps that claim this, and what they require."""
    if discipline == "causal":
        return causal_stamps(message_id, claims=parents), causal.claimed_by(
            message_id, claims=parents, history=history
        )
    return None, plain.named_by(message_id, parents=parents, discipline=discipline, history=history)


def causal_stamps(message_id: MessageId, *, claims: tuple[MessageId, ...]) -> CausalStamps:
    """A vector that puts the message after these ids, and after its sender's earlier ones."""
    upcoming: dict[str, int] = {message_id.sender: message_id.seq}
    for one in claims:
        upcoming[one.sender] = max(upcoming.get(one.sender, 1), one.seq + 1)
    return CausalStamps(members=tuple(upcoming), csn=tuple(upcoming.values()))


def wide_stamps(discipline: str, *, width: int) -> Stamps | None:
    """A vector with more entries than a group may have members; None where there are no vectors."""
    members = tuple(f"sybil-{number}#1" for number in range(width))
    if discipline == "causal":
        return CausalStamps(members=members, csn=(1,) * width)
    return None
