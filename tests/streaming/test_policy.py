"""The operator's words become the engine's policy."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import pytest

from ordering.policy import Acceptance, GiveUp
from ordering_udfs.group_policies import US_PER_MS
from ordering_udfs.ticks import MOST_STEP_US
from streaming.policy import group_policies, policies_text
from streaming.settings import JobSettings


def test_the_default_is_semantic_order_and_patience_without_end() -> None:
    policy = group_policies(JobSettings()).default
    assert (policy.discipline, policy.give_up) == ("semantic", GiveUp.HOLD)


def test_nothing_is_given_up_sooner_than_was_asked_for() -> None:
    settings = JobSettings(give_up=GiveUp.RELEASE, give_up_after_ms=250)
    assert group_policies(settings).default.after_us == 250_000 + MOST_STEP_US


def test_no_pace_of_ticks_is_slower_than_what_one_tick_may_count() -> None:
    (pace,) = (one for one in fields(JobSettings) if one.name == "tick_interval_ms")
    assert pace.metadata["maximum"] * US_PER_MS <= MOST_STEP_US


def test_rules_and_pairs_become_policies_and_each_of_them_changes_the_text() -> None:
    settings = JobSettings(
        discipline="causal:full", groups=("floor.*=fifo,release,50",), conflicts=("read/write",)
    )
    policies = group_policies(settings)
    assert policies.default.acceptance is Acceptance.FULL
    assert policies.of("floor.7").discipline == "fifo"
    assert policies.of("floor.7").conflicts == {("read", "write")}
    changed = [
        JobSettings(),
        settings,
        JobSettings(groups=settings.groups),
        JobSettings(conflicts=settings.conflicts),
        JobSettings(delta_ms=1),
        JobSettings(give_up=GiveUp.RELEASE),
        JobSettings(give_up_after_ms=1),
    ]
    assert len({policies_text(one) for one in changed}) == len(changed)


@pytest.mark.parametrize(
    "wrong", [{"discipline": "fifa"}, {"groups": ("x=fifo:full",)}, {"groups": ("=fifo",)}]
)
def test_a_discipline_or_a_rule_that_cannot_be_read_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="fif"):
        JobSettings(**wrong)
