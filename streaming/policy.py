"""From the `[job]` section to the engine's policy."""

from __future__ import annotations

from ordering.policy import GiveUp, GroupPolicy
from streaming.settings import JobSettings

US_PER_MS = 1_000


def group_policy(settings: JobSettings) -> GroupPolicy:
    """The policy of every group."""
    return GroupPolicy(
        give_up=GiveUp(settings.give_up),
        after_us=settings.give_up_after_ms * US_PER_MS,
    )
