"""What must come before a message, by definitions of `verify`'s own.

They read the envelope and the name of the discipline, and know nothing of the engine:

    none, total     nothing
    fifo            the one before it of the same sender
    semantic        the messages that it answers
    semantic+fifo   both
    causal          the one before it, and of each member the last that its vector counts
                    (at the levels simple and reliable nothing, at the continuous ones the first)

Naming the last of a sender is enough: that one names the one before it. Where a level asks for
confirmations too, a message may be held though all before it is there, so that being held says
nothing. The significant order and the order of objects are not judged here: what precedes what
depends on clocks and on the kinds of all operations, and the simulator judges those.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import NamedTuple

from ingest.wire.envelope import Kind, decode
from ingest.wire.errors import WireError
from ordering.policy import Acceptance, GroupPolicy
from ordering.stamps import CausalStamps, Stamps
from ordering.values import MemberId, MessageId
from ordering_udfs.control import read_policy_change
from ordering_udfs.errors import ControlError, PolicyTextError
from ordering_udfs.group_policies import GroupPolicies, parse_policy

Key = tuple[str, MessageId]  # a message id is unique within its group only

SEMANTIC = GroupPolicies(GroupPolicy(after_us=1))

NOT_JUDGED = ("significant", "objects")
_UNORDERED = (Acceptance.SIMPLE, Acceptance.RELIABLE)
_COUNTING = (Acceptance.CAUSAL, Acceptance.FULL)
_CONFIRMED = (Acceptance.RELIABLE, Acceptance.CONTINUOUSLY_RELIABLE, Acceptance.FULL)


class Rule(NamedTuple):
    """What a message requires, and whether holding it without need can be told from that."""

    before: tuple[MessageId, ...] = ()
    is_complete: bool = True


def rule_for(
    policy: GroupPolicy,
    message_id: MessageId,
    *,
    parents: tuple[MessageId, ...],
    maybe_stamps: Stamps | None,
) -> Rule | None:
    """Give what must come before a message; None where that is not judged."""
    if policy.discipline in NOT_JUDGED:
        return None
    if policy.discipline == "causal":
        return _causal(policy.acceptance, message_id, maybe_stamps)
    before: tuple[MessageId, ...] = ()
    if policy.discipline in ("semantic", "semantic+fifo"):
        before += parents
    if policy.discipline in ("fifo", "semantic+fifo"):
        before += _one_before(message_id)
    return Rule(before)


def _causal(level: Acceptance, message_id: MessageId, maybe_stamps: Stamps | None) -> Rule:
    is_complete = level not in _CONFIRMED
    if level in _UNORDERED:
        return Rule((), is_complete)
    before = _one_before(message_id)
    if level in _COUNTING and isinstance(maybe_stamps, CausalStamps):
        counted = zip(maybe_stamps.members, maybe_stamps.csn, strict=False)
        before += tuple(
            MessageId(MemberId(member), upcoming - 1)
            for member, upcoming in counted
            if upcoming > 1 and member != message_id.sender
        )
    return Rule(before, is_complete)


def _one_before(message_id: MessageId) -> tuple[MessageId, ...]:
    sender, seq = message_id
    return (MessageId(sender, seq - 1),) if seq > 1 else ()


def deliverable_of(before: Mapping[Key, tuple[MessageId, ...]]) -> set[Key]:
    """Every message all of whose ancestors were captured: from the roots along the answers."""
    children: dict[Key, list[Key]] = defaultdict(list)
    missing: dict[Key, int] = {}
    ready: list[Key] = []
    for key, required in before.items():
        distinct = set(required)
        missing[key] = len(distinct)
        for one in distinct:
            children[key[0], one].append(key)
        if not distinct:
            ready.append(key)
    deliverable: set[Key] = set()
    while ready:
        key = ready.pop()
        deliverable.add(key)
        for child in children[key]:
            missing[child] -= 1
            if not missing[child]:
                ready.append(child)
    return deliverable


def policy_change_of(content: bytes) -> tuple[str, str] | None:
    """The group and the text, if this is a control record that changes a policy."""
    try:
        envelope = decode(content)
        if envelope.kind is not Kind.CONTROL:
            return None
        text = read_policy_change(envelope.payload)
        parse_policy(text, default=SEMANTIC.default)
    except (WireError, ControlError, PolicyTextError):
        return None
    return envelope.group, text
