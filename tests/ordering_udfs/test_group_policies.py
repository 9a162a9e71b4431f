"""A group's policy is that of the first pattern that fits."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from ordering.disciplines.registry import names
from ordering.policy import Acceptance, GiveUp, GroupPolicy
from ordering_udfs.errors import PolicyTextError
from ordering_udfs.group_policies import (
    RULE_PATTERN,
    GroupPolicies,
    PatternPolicy,
    parse_policy,
    parse_rule,
)
from ordering_udfs.ticks import MOST_STEP_US

FIFO = GroupPolicy(discipline="fifo")
TOTAL = GroupPolicy(discipline="total")
POLICIES = GroupPolicies(
    GroupPolicy(), (PatternPolicy("floor-*", FIFO), PatternPolicy("floor-1", TOTAL))
)


def test_the_first_pattern_that_fits_decides_and_the_default_is_for_the_rest() -> None:
    assert POLICIES.of("floor-1") is FIFO
    assert POLICIES.of("Floor-1") is POLICIES.default
    assert POLICIES.of("hall") is POLICIES.default


def test_a_control_record_says_more_than_any_rule() -> None:
    assert POLICIES.of("floor-1", "none").discipline == "none"


def test_what_a_text_leaves_out_is_as_in_the_default() -> None:
    default = GroupPolicy(
        give_up=GiveUp.RELEASE, after_us=5, conflicts=frozenset({("read", "write")})
    )
    assert parse_policy("fifo", default=default) == replace(default, discipline="fifo")
    whole = parse_policy("causal:full,quarantine,40", default=default)
    assert (whole.acceptance, whole.give_up) == (Acceptance.FULL, GiveUp.QUARANTINE)
    assert whole.after_us == 40_000 + MOST_STEP_US


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("fifa", "no discipline 'fifa'; choose one of none, fifo"),
        ("fifo:full", "a level is for causal alone"),
        ("causal:most", "a level is for causal alone, one of simple"),
        ("fifo,never", "a give-up rule is one of hold, release, quarantine"),
        ("fifo,release,soon", "no number of milliseconds"),
        ("fifo,release,99999999999", "no number of milliseconds"),
        ("fifo,release", "say after how many"),
    ],
)
def test_a_policy_that_cannot_be_read_is_refused_with_what_to_write(text: str, words: str) -> None:
    with pytest.raises(PolicyTextError, match=words):
        parse_policy(text, default=GroupPolicy())


def test_a_rule_has_a_pattern_and_a_policy_and_the_form_fits_it() -> None:
    rule = parse_rule("a=b*=fifo", default=GroupPolicy())
    assert rule == ("a=b*", GroupPolicy(discipline="fifo"))
    for text in ("fifo", "=fifo"):
        with pytest.raises(PolicyTextError, match="is no rule; write PATTERN="):
            parse_rule(text, default=GroupPolicy())
    for name in names():
        assert re.fullmatch(RULE_PATTERN, f"x*={name},release,50")
    assert re.fullmatch(RULE_PATTERN, "x=causal:continuously_reliable")
