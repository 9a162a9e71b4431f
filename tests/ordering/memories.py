"""The memory of a group in which nothing has happened, for tests of the steps inside the engine."""

from __future__ import annotations

from typing import Final

from ordering.disciplines.registry import choose
from ordering.policy import GroupPolicy
from ordering.state import GroupState

FAR: Final = 2**60
"""A seq that no sender reaches by counting."""


def memory(policy: GroupPolicy | None = None) -> GroupState:
    """Make a group's memory for a policy."""
    chosen = GroupPolicy() if policy is None else policy
    discipline, _ = choose(chosen)
    return GroupState(chosen, discipline)
