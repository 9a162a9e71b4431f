"""From the `[job]` section to the policies of the groups."""

from __future__ import annotations

from ordering.policy import GroupPolicy, Limits
from ordering_udfs.group_policies import (
    US_PER_MS,
    GroupPolicies,
    parse_policy,
    parse_rule,
    waiting_us,
)
from streaming.settings import JobSettings

LIMITS = Limits(recent_deliveries=32)
"""The window in which an equivocation is quarantined is kept short: it is the larger part of an
active group's state, which travels with every batch. One that comes later is a duplicate to the
job, and `precede verify`, which reads the whole log, still counts it."""


def group_policies(settings: JobSettings) -> GroupPolicies:
    """The policies of all groups; the settings have been checked (`JobSettings`)."""
    base = GroupPolicy(
        give_up=settings.give_up,
        after_us=waiting_us(settings.give_up_after_ms),
        delta_us=settings.delta_ms * US_PER_MS,
        conflicts=frozenset(_pair(text) for text in settings.conflicts),
        limits=LIMITS,
    )
    default = parse_policy(settings.discipline, default=base)
    return GroupPolicies(
        default, tuple(parse_rule(one, default=default) for one in settings.groups)
    )


def policies_text(settings: JobSettings) -> str:
    """Everything that decides how groups are ordered, as one text for the manifest."""
    return "; ".join(
        (
            f"{settings.discipline},{settings.give_up.value},{settings.give_up_after_ms}",
            f"delta_ms {settings.delta_ms}",
            f"conflicts {' '.join(settings.conflicts) or 'none'}",
            *settings.groups,
        )
    )


def _pair(text: str) -> tuple[str, str]:
    first, _, second = text.partition("/")
    return first, second
