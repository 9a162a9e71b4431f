"""Laws of when a refusal is excused."""

from __future__ import annotations

import pytest

from ordering.events import Quarantined, Reason
from ordering.policy import GroupPolicy, Limits
from ordering.values import MemberId, MessageId
from simulation.excuses import Excuses
from simulation.options import GiveUp, Hostility
from tests.simulation.transcripts import START_AT, Script, delivered, held

NEVER = MessageId(MemberId("bob#1"), 1)


def excused(script: Script) -> list[bool]:
    ledger = script.ledger()
    excuses = Excuses(ledger)
    return [excuses.allow(refusal) for refusal in ledger.refusals]


def test_an_equivocation_needs_another_content_before_it() -> None:
    script = Script()
    yes = script.message("mallory#1", 1, content=b"yes")
    no = script.message("mallory#1", 1, content=b"no")
    script.receive(yes, Quarantined(yes.message, Reason.EQUIVOCATION))
    script.receive(no, Quarantined(no.message, Reason.EQUIVOCATION))
    assert excused(script) == [False, True]


def test_only_what_answers_itself_or_later_is_its_own_parent() -> None:
    script = Script()
    sender = MemberId("mallory#1")
    itself = script.message("mallory#1", 3, answers=[MessageId(sender, 3)])
    later = script.message("mallory#1", 4, answers=[MessageId(sender, 9)])
    earlier = script.message("mallory#1", 5, answers=[MessageId(sender, 4)])
    for entry in (itself, later, earlier):
        script.receive(entry, Quarantined(entry.message, Reason.SELF_PARENT))
    assert excused(script) == [True, True, False]


def test_a_cycle_must_be_one() -> None:
    script = Script()
    second_id = MessageId(MemberId("oscar#1"), 1)
    one = script.message("mallory#1", 1, answers=[second_id])
    two = script.message("oscar#1", 1, answers=[one])
    below = script.message("alice#1", 1, answers=[two])
    honest = script.message("alice#1", 2)
    for entry in (one, two, below, honest):
        script.receive(entry, Quarantined(entry.message, Reason.CYCLE))
    assert excused(script) == [True, True, True, False]


@pytest.mark.parametrize(
    ("give_up", "waited_us", "is_excused"),
    [
        (GiveUp.QUARANTINE, 50, True),
        (GiveUp.QUARANTINE, 49, False),
        (GiveUp.RELEASE, 50, False),
        (GiveUp.HOLD, 50, False),
    ],
)
def test_giving_up_needs_the_rule_and_the_time(
    give_up: GiveUp, waited_us: int, is_excused: bool
) -> None:
    script = Script(give_up=give_up, after_us=50)
    orphan = script.message("alice#1", 1, answers=[NEVER])
    script.receive(orphan, held(orphan, NEVER), now=START_AT)
    script.tick(Quarantined(orphan.message, Reason.GAVE_UP), now=START_AT + waited_us)
    assert excused(script) == [is_excused]


def test_what_answers_something_that_was_given_up_on_may_be_given_up_on_at_once() -> None:
    script = Script(give_up=GiveUp.QUARANTINE, after_us=50)
    orphan = script.message("alice#1", 1, answers=[NEVER])
    script.receive(orphan, held(orphan, NEVER), now=START_AT)
    script.tick(Quarantined(orphan.message, Reason.GAVE_UP), now=START_AT + 50)
    child = script.message("alice#1", 2, answers=[orphan])
    script.receive(child, Quarantined(child.message, Reason.GAVE_UP), now=START_AT + 50)
    assert excused(script) == [True, True]


def test_a_bound_is_met_only_by_the_hostile() -> None:
    script = Script()
    hostile = script.message("mallory#1", 1, hostility=Hostility.FLOOD)
    honest = script.message("alice#1", 1)
    for entry in (hostile, honest):
        script.receive(entry, Quarantined(entry.message, Reason.HELD_BY_SENDER_FULL))
    assert excused(script) == [True, False]


def test_a_sound_message_is_delivered_and_needs_no_excuse() -> None:
    script = Script()
    first = script.message("alice#1", 1)
    script.receive(first, delivered(1, first))
    assert excused(script) == []


def tight_script(**limits: int) -> Script:
    script = Script()
    script.endpoint.policy = GroupPolicy(limits=Limits(**limits))
    return script


@pytest.mark.parametrize(("seq", "is_excused"), [(6, False), (7, True)])
def test_a_count_may_run_ahead_of_what_was_delivered_by_the_bound(
    seq: int, is_excused: bool
) -> None:
    script = tight_script(sequence_jump=5)
    first = script.message("alice#1", 1)
    ahead = script.message("alice#1", seq)
    script.receive(first, delivered(1, first))
    script.receive(ahead, Quarantined(ahead.message, Reason.SEQUENCE_JUMP))
    assert excused(script) == [is_excused]


@pytest.mark.parametrize(("waited_us", "is_excused"), [(9, False), (10, True)])
def test_an_older_life_may_be_refused_when_its_grace_is_over(
    waited_us: int, is_excused: bool
) -> None:
    script = tight_script(incarnation_grace_us=10)
    newer, older = script.message("alice#2", 1), script.message("alice#1", 1)
    script.receive(newer, delivered(1, newer), now=START_AT)
    refused = Quarantined(older.message, Reason.SUPERSEDED_INCARNATION)
    script.receive(older, refused, now=START_AT + waited_us)
    assert excused(script) == [is_excused]


def test_a_newer_life_may_be_refused_only_where_few_are_remembered() -> None:
    for remembered, is_excused in ((1, True), (16, False)):
        script = tight_script(incarnations_per_name=remembered)
        older, newer = script.message("alice#1", 1), script.message("alice#2", 1)
        script.receive(older, delivered(1, older))
        script.receive(newer, Quarantined(newer.message, Reason.INCARNATIONS_FULL))
        assert excused(script) == [is_excused]


def test_another_content_of_an_id_is_given_up_on_for_its_own_parents() -> None:
    script = Script(give_up=GiveUp.QUARANTINE, after_us=50)
    missing = MessageId(MemberId("carol#1"), 1)
    yes = script.message("mallory#1", 1, content=b"yes")
    no = script.message("mallory#1", 1, answers=[missing], content=b"no")
    script.receive(yes, Quarantined(yes.message, Reason.GAVE_UP))
    script.receive(no, held(no, missing), now=START_AT + 10)
    script.tick(Quarantined(no.message, Reason.GAVE_UP), now=START_AT + 60)
    assert excused(script) == [False, True]
