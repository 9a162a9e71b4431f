"""What a shard makes of any log, verify finds in order, in every discipline and give-up rule."""

from __future__ import annotations

import random

import pytest

from console.verification import Verification
from console.verification_report import Report
from console.verification_values import DeliveryRow
from ingest.wire.envelope import Kind, decode, encode, is_tick
from ordering.disciplines.registry import names
from ordering.policy import GiveUp, GroupPolicy
from ordering.values import MessageId
from ordering_udfs.control import write_policy_change
from ordering_udfs.group_policies import GroupPolicies
from sinks.identity import id_text
from tests.conversations import shuffled_conversation
from tests.ordering_udfs.shards import SECOND_US, Came, come_to, rows, tick_at


def log_of(seed: int) -> list[bytes]:
    """A conversation with losses, duplicates, junk and ticks."""
    dice = random.Random(seed)
    log: list[bytes] = []
    seconds = 1.0
    for value in shuffled_conversation(seed=seed, groups=3, messages=400):
        if dice.random() < 0.03:
            continue
        log.append(value)
        if dice.random() < 0.05:
            seconds += dice.choice([0.5, 1, 2])
            log.append(tick_at(seconds))
    return log


def verified(log: list[bytes], came: Came, policies: GroupPolicies) -> Report:
    verification = Verification(policies=policies)
    for offset, value in enumerate(log):
        if not is_tick(value):
            verification.take_raw((0, offset, 0), value)
    verification.take_ordered(came.ordered)
    verification.take_quarantine(came.quarantined)
    verification.take_deliveries(
        DeliveryRow(
            envelope.group,
            record.position,
            id_text(MessageId(envelope.sender, envelope.seq)),
            envelope.payload,
            (0, record.origin.offset, 0),
            record.ordinal,
        )
        for record in came.ordered
        for envelope in (decode(record.envelope),)
    )
    verification.take_quarantine_rows((0, record.ordinal) for record in came.quarantined)
    verification.take_waits(came.waits, ((0, one.ordinal) for one in came.waits))
    verification.take_membership(came.membership, ((0, one.ordinal) for one in came.membership))
    return verification.report()


@pytest.mark.parametrize("how", list(GiveUp))
@pytest.mark.parametrize("discipline", names())
def test_every_discipline_and_give_up_rule_verifies(discipline: str, how: GiveUp) -> None:
    policies = GroupPolicies(GroupPolicy(discipline, give_up=how, after_us=4 * SECOND_US))
    for seed in range(3):
        log = log_of(seed)
        report = verified(log, come_to([rows(*log)], policies=policies), policies)
        assert report.ok, (seed, report.examples)
        assert report.counts["delivered"] > 10


def test_a_log_in_which_policies_change_verifies() -> None:
    policies = GroupPolicies(GroupPolicy())
    for seed in range(5):
        log = log_of(seed)
        for place, text in ((100, "fifo"), (200, "semantic+fifo"), (300, "none")):
            envelope = decode(next(one for one in log if b"group-1" in one))
            change = envelope._replace(kind=Kind.CONTROL, payload=write_policy_change(text))
            log.insert(place, encode(change))
        came = come_to([rows(*log)], policies=policies)
        report = verified(log, came, policies)
        assert report.ok, (seed, report.examples)
        assert came.state.policies == {"group-1": "none"}
