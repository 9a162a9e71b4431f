"""The engine's policy for a simulated group.

Bounds are those of production, except those that the world makes tight and where a hostile sender
tries one: in a world with a flood the room of one sender is just what an honest member of that
world could ever need, and where vectors are too wide they are so with few entries.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from ordering.policy import Acceptance, GroupPolicy, Limits
from ordering.policy import GiveUp as EngineGiveUp
from simulation.options import GroupOptions, Hostility, Options, Tightness
from simulation.senders.plain import MOST_PARENTS

CONFLICTS = frozenset({("write", "write"), ("write", "read"), ("read", "write")})
"""Which operations of the simulated objects change each other's result."""


UNUSED_DELTA_US = 5_000_000
"""For groups whose order does not look at it."""


def policy_of(group: GroupOptions, *, options: Options) -> GroupPolicy:
    """The policy of one group. Called once per group and world."""
    return GroupPolicy(
        discipline=group.discipline,
        give_up=EngineGiveUp(group.give_up.value),
        after_us=group.give_up_after_us,
        acceptance=Acceptance(group.acceptance),
        delta_us=delta_of(group),
        conflicts=CONFLICTS,
        limits=_limits(options),
    )


def delta_of(group: GroupOptions) -> int:
    """The bound of the network's delay that a group counts on, in microseconds."""
    return group.delta_us or UNUSED_DELTA_US


def _limits(options: Options) -> Limits:
    limits = PRODUCTION
    for bound in options.tight:
        limits = replace(limits, **TIGHT[bound])
    if Hostility.FLOOD in options.hostile:
        room = options.messages
        limits = replace(limits, held_per_sender=room, held_per_group=room, held_reserve=room)
    if Hostility.WIDE in options.hostile:
        limits = replace(limits, vector_width=WIDEST_VECTOR, parents=MOST_PARENTS)
    return limits


PRODUCTION = Limits()

TIGHT: Final[dict[Tightness, dict[str, int]]] = {
    Tightness.MEMORY: {
        "recent_deliveries": 6,
        "recent_us": 20_000,
        "abandoned_per_sender": 2,
    },
    Tightness.JUMP: {"sequence_jump": 5},
    Tightness.GRACE: {"incarnation_grace_us": 5_000},
    Tightness.INCARNATIONS: {"incarnations_per_name": 1},
}
"""So that what a long-lived group forgets or refuses is forgotten or refused in a small world."""

WIDEST_VECTOR = 32
"""More members than a world has, hostile ones and all incarnations included."""


def is_forgetful(policy: GroupPolicy) -> bool:
    """Whether engines of this policy forget deliveries and given-up ids early."""
    return policy.limits.recent_deliveries < PRODUCTION.recent_deliveries


def retires(policy: GroupPolicy) -> bool:
    """Whether engines of this policy forget older incarnations."""
    return policy.limits.incarnations_per_name < PRODUCTION.incarnations_per_name
