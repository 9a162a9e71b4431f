"""Laws of the engine's policy in a simulated group."""

from __future__ import annotations

from dataclasses import replace

from ordering.policy import GiveUp as EngineGiveUp
from ordering.policy import Limits
from simulation.options import GiveUp, GroupOptions, Hostility
from simulation.policies import policy_of
from tests.simulation.worlds import plain_options


def test_the_engine_is_told_the_rule_of_the_group() -> None:
    group = GroupOptions("semantic", GiveUp.RELEASE, 77)
    policy = policy_of(group, options=plain_options())
    assert (policy.discipline, policy.give_up, policy.after_us) == (
        "semantic",
        EngineGiveUp.RELEASE,
        77,
    )


def test_bounds_are_those_of_production_unless_there_is_a_flood() -> None:
    options = plain_options(messages=30)
    group = options.groups[0]
    assert policy_of(group, options=options).limits == Limits()
    flooded = replace(options, hostile=(Hostility.FLOOD,))
    limits = policy_of(group, options=flooded).limits
    assert limits.held_per_sender == limits.held_reserve == 30
