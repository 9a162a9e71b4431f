"""The operator's words become the engine's policy."""

from __future__ import annotations

from ordering.policy import GiveUp
from streaming.policy import group_policy
from streaming.settings import JobSettings


def test_the_default_is_semantic_order_and_patience_without_end() -> None:
    policy = group_policy(JobSettings())
    assert (policy.discipline, policy.give_up) == ("semantic", GiveUp.HOLD)


def test_milliseconds_become_microseconds() -> None:
    settings = JobSettings(give_up=GiveUp.RELEASE, give_up_after_ms=250)
    assert group_policy(settings).after_us == 250_000
