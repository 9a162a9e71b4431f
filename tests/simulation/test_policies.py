"""Laws of the engine's policy in a simulated group."""

from __future__ import annotations

from dataclasses import replace

from ordering.policy import GiveUp as EngineGiveUp
from ordering.policy import Limits
from simulation.options import GiveUp, GroupOptions, Hostility, Tightness
from simulation.policies import TIGHT, is_forgetful, policy_of, retires
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


def test_a_tight_bound_is_smaller_than_that_of_production() -> None:
    options = plain_options()
    for bound in Tightness:
        tight = policy_of(options.groups[0], options=replace(options, tight=(bound,))).limits
        for name, value in TIGHT[bound].items():
            assert getattr(tight, name) == value < getattr(Limits(), name)


def test_a_policy_says_what_its_engines_forget() -> None:
    options = plain_options()
    group = options.groups[0]
    plain = policy_of(group, options=options)
    assert not is_forgetful(plain)
    assert not retires(plain)
    assert is_forgetful(policy_of(group, options=replace(options, tight=(Tightness.MEMORY,))))
    assert retires(policy_of(group, options=replace(options, tight=(Tightness.INCARNATIONS,))))
