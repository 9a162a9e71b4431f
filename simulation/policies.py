"""The engine's policy for a simulated group.

Bounds are those of production, but for a world with a flood: there the room of one sender is just
what an honest member of that world could ever need, so that the flood passes it and the honest
do not.
"""

from __future__ import annotations

from ordering.policy import GiveUp as EngineGiveUp
from ordering.policy import GroupPolicy, Limits
from simulation.options import GroupOptions, Hostility, Options

CONFLICTS = frozenset({("write", "write"), ("write", "read"), ("read", "write")})
"""Which operations of the simulated objects change each other's result."""


def policy_of(group: GroupOptions, *, options: Options) -> GroupPolicy:
    """The policy of one group. Called once per group and world."""
    return GroupPolicy(
        discipline=group.discipline,
        give_up=EngineGiveUp(group.give_up.value),
        after_us=group.give_up_after_us,
        conflicts=CONFLICTS,
        limits=_limits(options),
    )


def _limits(options: Options) -> Limits:
    if Hostility.FLOOD not in options.hostile:
        return PRODUCTION
    return Limits(
        held_per_sender=options.messages,
        held_per_group=options.messages,
        held_reserve=options.messages,
    )


PRODUCTION = Limits()
