"""Histories that no honest group makes: few ids, so that everything collides with everything.

Messages answer themselves, each other, what never comes and what came long ago; ids come twice with
one content or with two; members restart; vectors lie; time stands still or leaps.
"""

from __future__ import annotations

from random import Random
from typing import Final, TypeAlias

from hypothesis import strategies as st

from ordering.policy import Limits
from ordering.stamps import CausalStamps
from ordering.values import MemberId, Message, MessageId
from tests.ordering.messages import PATIENCE_US

History: TypeAlias = list[tuple[Message, int]]
"""Messages and when they are received, in the order of the log."""

PIDS: Final = ("a#1", "a#2", "b#1", "c#1")
HIGHEST_SEQ: Final = 5
MOST_MESSAGES: Final = 25
PAUSES: Final = (0, 0, 0, 1, PATIENCE_US - 1, PATIENCE_US, 2 * PATIENCE_US)

TIGHT: Final = Limits(
    held_per_sender=3,
    held_per_group=5,
    held_reserve=1,
    members=3,
    incarnations_per_name=2,
    parents=2,
    vector_width=3,
    recent_deliveries=3,
    recent_us=2 * PATIENCE_US,
    abandoned_per_sender=2,
    abandoned_us=3 * PATIENCE_US,
    incarnation_grace_us=PATIENCE_US,
)
"""Bounds so low that a short history meets them all."""


def _any_id(rng: Random) -> MessageId:
    return MessageId(MemberId(rng.choice(PIDS)), rng.randint(1, HIGHEST_SEQ))


def _any_vector(rng: Random) -> CausalStamps:
    """Draw a vector that may know too much, name a member twice, or be ragged."""
    members = tuple(rng.choice(PIDS) for _ in range(rng.randint(0, 4)))
    ragged = rng.choice((0, 0, 0, 0, 0, 1))
    counts = tuple(rng.choice((0, 1, 1, 2, 3)) for _ in range(len(members) + ragged))
    return CausalStamps(members, counts)


def history_of(rng: Random) -> History:
    """Draw a history from a random source."""
    now, history = 0, History()
    for _ in range(rng.randint(1, MOST_MESSAGES)):
        now += rng.choice(PAUSES)
        parents = {_any_id(rng): None for _ in range(rng.choice((0, 1, 1, 1, 2, 3)))}
        content = rng.choice((b"", b"", b"", b"other"))
        stamps = _any_vector(rng) if rng.random() < 0.5 else None
        history.append((Message(_any_id(rng), tuple(parents), content, stamps), now))
    return history


def histories() -> st.SearchStrategy[History]:
    """Give histories, each by its seed: drawing every choice apart would take most of the time."""
    return st.integers(0, 2**32).map(lambda seed: history_of(Random(seed)))
