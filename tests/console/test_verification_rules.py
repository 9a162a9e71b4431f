"""What must come before a message, by verify's own definitions."""

from __future__ import annotations

import pytest

from console.verification_rules import NOT_JUDGED, deliverable_of, rule_for
from ordering.disciplines.registry import names
from ordering.policy import Acceptance, GroupPolicy
from ordering.stamps import CausalStamps
from ordering.values import MemberId, MessageId

A1, A4, B1, B2 = (
    MessageId(MemberId(member), seq)
    for member, seq in (("a#1", 1), ("a#1", 4), ("b#1", 1), ("b#1", 2))
)
STAMPS = CausalStamps(("a#1", "b#1", "c#1"), (5, 2, 1))


def before(policy: GroupPolicy) -> set[MessageId]:
    rule = rule_for(policy, B2, parents=(A1,), maybe_stamps=STAMPS)
    assert rule is not None
    return set(rule.before)


@pytest.mark.parametrize(
    ("discipline", "required"),
    [
        ("none", set()),
        ("total", set()),
        ("fifo", {B1}),
        ("semantic", {A1}),
        ("semantic+fifo", {A1, B1}),
        ("causal", {A4, B1}),
    ],
)
def test_each_discipline_names_what_must_come_before(
    discipline: str, required: set[MessageId]
) -> None:
    assert before(GroupPolicy(discipline)) == required


def test_a_causal_group_is_judged_at_its_level() -> None:
    levels = {level: before(GroupPolicy("causal", acceptance=level)) for level in Acceptance}
    assert levels[Acceptance.SIMPLE] == levels[Acceptance.RELIABLE] == set()
    assert levels[Acceptance.CONTINUOUS] == levels[Acceptance.CONTINUOUSLY_RELIABLE] == {B1}
    assert levels[Acceptance.FULL] == {A4, B1}
    for level in Acceptance:
        policy = GroupPolicy("causal", acceptance=level)
        rule = rule_for(policy, B2, parents=(), maybe_stamps=None)
        assert rule is not None
        assert rule.is_complete is (level.value in ("simple", "continuous", "causal"))


def test_every_discipline_is_judged_or_said_not_to_be() -> None:
    for name in names():
        rule = rule_for(GroupPolicy(name), A1, parents=(), maybe_stamps=None)
        assert (rule is None) is (name in NOT_JUDGED)


def test_what_hangs_from_something_that_was_not_captured_is_not_deliverable() -> None:
    assert deliverable_of(
        {("g", A1): (), ("g", B1): (A1,), ("g", B2): (A4,), ("h", B1): (A1,)}
    ) == {
        ("g", A1),
        ("g", B1),
    }
