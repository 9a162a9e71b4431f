"""Laws of the checker `unseen`, on transcripts with a planted fault."""

from __future__ import annotations

import pytest

from ordering.values import MemberId, MessageId
from simulation.checkers import unseen
from simulation.options import GiveUp, Hostility
from tests.simulation.transcripts import Script, delivered, held

NEVER = MessageId(MemberId("bob#1"), 9)


def with_one_left_behind() -> Script:
    script = Script()
    parent = script.message("alice#1", 1)
    child = script.message("alice#1", 2, answers=[parent])
    script.receive(child, held(child, parent))
    script.receive(parent, delivered(1, parent))
    return script


def test_after_healing_nothing_that_can_be_seen_may_be_undelivered() -> None:
    (found,) = unseen.check(with_one_left_behind().ledger())
    assert found.sentence == "all has healed and these are not delivered: alice#1:2"


def test_before_healing_nothing_is_demanded() -> None:
    script = with_one_left_behind()
    script.endpoint.healed = False
    assert not list(unseen.check(script.ledger()))


def test_what_hangs_from_an_id_that_nobody_sent_can_not_be_seen() -> None:
    script = Script()
    forged = script.message("mallory#1", 1, answers=[NEVER])
    answer = script.message("alice#1", 1, answers=[forged])
    script.receive(forged, held(forged, NEVER))
    script.receive(answer, held(answer, forged))
    assert not list(unseen.check(script.ledger()))


def test_messages_in_a_ring_can_not_be_seen() -> None:
    script = Script()
    second_id = MessageId(MemberId("mallory#1"), 2)
    one = script.message("mallory#1", 1, answers=[second_id], hostility=Hostility.CYCLE)
    two = script.message("mallory#1", 2, answers=[one], hostility=Hostility.CYCLE)
    script.receive(one, held(one, two))
    script.receive(two, held(two, one))
    assert unseen.can_be_seen(script.ledger()) == 0


@pytest.mark.parametrize("give_up", [GiveUp.RELEASE, GiveUp.QUARANTINE])
def test_with_a_give_up_rule_nothing_may_be_held_in_the_end(give_up: GiveUp) -> None:
    script = Script(give_up=give_up, after_us=10)
    orphan = script.message("alice#1", 1, answers=[NEVER])
    script.receive(orphan, held(orphan, NEVER))
    sentences = [found.sentence for found in unseen.check(script.ledger())]
    assert any("still held: alice#1:1" in sentence for sentence in sentences)
