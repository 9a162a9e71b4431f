"""Which policy a group has: what a control record said last, the first rule that fits, the default.

A policy is written `DISCIPLINE[:LEVEL][,GIVE_UP[,AFTER_MS]]`, a rule `PATTERN=POLICY`::

    floor.*=fifo                 every group of the floor: each sender's messages in its order
    orders=causal:full           causal order, delivered when everyone has it
    chat.*=semantic,release,5000 released when an answer has waited five seconds

What a text leaves out is as in the default. Patterns are those of file names (`*`, `?`, `[ab]`);
capitals count. Travels with the ordering function to Spark's workers.
"""

from __future__ import annotations

from dataclasses import replace
from fnmatch import fnmatchcase
from typing import NamedTuple

from ordering.disciplines.registry import names
from ordering.errors import OperatorFault
from ordering.policy import Acceptance, GiveUp, GroupPolicy
from ordering_udfs.errors import PolicyTextError
from ordering_udfs.ticks import MOST_STEP_US

US_PER_MS = 1_000
POLICY_FORM = "DISCIPLINE[:LEVEL][,GIVE_UP[,AFTER_MS]]"
RULE_FORM = f"PATTERN={POLICY_FORM}, such as floor.*=fifo or chat.*=semantic,release,5000"
RULE_PATTERN = r".{1,255}=[a-z+]+(:[a-z_]+)?(,[a-z]+(,\d{1,10})?)?"


class PatternPolicy(NamedTuple):
    """The policy of all groups whose names fit a pattern."""

    pattern: str
    policy: GroupPolicy


class GroupPolicies(NamedTuple):
    """What an operator decided for every group there may ever be."""

    default: GroupPolicy
    patterns: tuple[PatternPolicy, ...] = ()

    def of(self, group: str, maybe_text: str | None = None) -> GroupPolicy:
        """Give the policy of a group; `maybe_text` is what a control record said of it last."""
        if maybe_text is not None:
            return parse_policy(maybe_text, default=self.default)
        for pattern, policy in self.patterns:
            if fnmatchcase(group, pattern):
                return policy
        return self.default


def waiting_us(after_ms: int) -> int:
    """How long an engine waits so that nothing is given up sooner than after so many milliseconds.

    A message is taken to wait since the tick before it, which may be one step early.
    """
    return after_ms * US_PER_MS + MOST_STEP_US


def parse_policy(text: str, *, default: GroupPolicy) -> GroupPolicy:
    """Read a policy; raises `PolicyTextError` with what to write instead."""
    name, _, rest = text.partition(",")
    discipline, _, level = name.partition(":")
    give_up, _, after_ms = rest.partition(",")
    if discipline not in names():
        raise PolicyTextError(
            f"{text!r}: there is no discipline {discipline!r}; choose one of {', '.join(names())}"
        )
    if level and (discipline != "causal" or level not in set(Acceptance)):
        raise PolicyTextError(
            f"{text!r}: a level is for causal alone, one of {', '.join(Acceptance)}"
        )
    if give_up and give_up not in set(GiveUp):
        raise PolicyTextError(f"{text!r}: a give-up rule is one of {', '.join(GiveUp)}")
    if after_ms and not (after_ms.isascii() and after_ms.isdecimal() and len(after_ms) <= 10):
        raise PolicyTextError(f"{text!r}: {after_ms!r} is no number of milliseconds")
    try:
        return replace(
            default,
            discipline=discipline,
            acceptance=Acceptance(level) if level else default.acceptance,
            give_up=GiveUp(give_up) if give_up else default.give_up,
            after_us=waiting_us(int(after_ms)) if after_ms else default.after_us,
        )
    except OperatorFault as error:
        raise PolicyTextError(f"{text!r}: {error}") from error


def parse_rule(text: str, *, default: GroupPolicy) -> PatternPolicy:
    """Read a rule; raises `PolicyTextError` with what to write instead."""
    pattern, mark, policy = text.rpartition("=")
    if not pattern or not mark:
        raise PolicyTextError(f"{text!r} is no rule; write {RULE_FORM}")
    return PatternPolicy(pattern, parse_policy(policy, default=default))
