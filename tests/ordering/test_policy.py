"""Laws of policies: what cannot work is refused with the numbers and a way out."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, fields, replace

import pytest

from ordering.errors import OperatorFault, PolicyRefused
from ordering.policy import Acceptance, GiveUp, GroupPolicy, Limits

GIVES_UP = (GiveUp.RELEASE, GiveUp.QUARANTINE)


def test_a_group_waits_for_ever_in_semantic_order_unless_told_otherwise() -> None:
    policy = GroupPolicy()
    assert (policy.discipline, policy.give_up) == ("semantic", GiveUp.HOLD)
    assert policy.acceptance is Acceptance.CAUSAL


@pytest.mark.parametrize("give_up", GIVES_UP)
@pytest.mark.parametrize("after_us", [0, -1])
def test_giving_up_needs_a_time_and_says_so(give_up: GiveUp, after_us: int) -> None:
    with pytest.raises(PolicyRefused) as refused:
        GroupPolicy(give_up=give_up, after_us=after_us)
    assert f"give_up is {give_up.value} but after_us is {after_us}" in str(refused.value)
    assert "or choose hold" in str(refused.value)


@pytest.mark.parametrize("give_up", GIVES_UP)
def test_one_microsecond_is_time_enough(give_up: GiveUp) -> None:
    assert GroupPolicy(give_up=give_up, after_us=1).after_us == 1


@pytest.mark.parametrize("name", [field.name for field in fields(Limits)])
def test_no_limit_may_be_below_nothing(name: str) -> None:
    limits = Limits()
    assert getattr(limits, name) > 0
    GroupPolicy(limits=replace(limits, **{name: 0}))
    with pytest.raises(PolicyRefused, match=f"limit {name} is -1"):
        GroupPolicy(limits=replace(limits, **{name: -1}))


def test_a_refusal_is_the_operators_to_put_right() -> None:
    assert issubclass(PolicyRefused, OperatorFault)
    assert PolicyRefused.exit_code == 4


def test_a_policy_does_not_change_and_compares_by_its_values() -> None:
    policy = GroupPolicy()
    with pytest.raises(FrozenInstanceError):
        policy.discipline = "fifo"  # type: ignore[misc]
    assert policy == GroupPolicy()
    assert len({policy, GroupPolicy(), GroupPolicy(discipline="fifo")}) == 2
