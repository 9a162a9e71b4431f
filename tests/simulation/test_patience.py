"""Laws of how long a thing was waited for."""

from __future__ import annotations

from ordering.values import MemberId, MessageId
from simulation.options import GiveUp
from simulation.patience import Patience, ancestry, count_along, wanted_since
from tests.simulation.transcripts import Script, delivered, held

NEVER = MessageId(MemberId("bob#1"), 1)


def two_that_wait(give_up: GiveUp = GiveUp.RELEASE) -> Script:
    script = Script(give_up=give_up, after_us=30)
    for number, now in enumerate((10, 25), start=1):
        entry = script.message("alice#1", number, answers=[NEVER])
        script.receive(entry, held(entry, NEVER), now=now)
    script.tick(now=39)
    script.tick(now=40)
    return script


def test_an_id_is_wanted_since_the_first_that_waits_for_it() -> None:
    script = two_that_wait()
    slot = script.history.slot_of(NEVER)
    assert wanted_since(script.ledger()) == {slot: 10}


def test_patience_is_over_exactly_when_its_time_has_passed() -> None:
    script = two_that_wait()
    patience = Patience(script.ledger())
    mask = 1 << script.history.slot_of(NEVER)
    assert not patience.over(mask, step=2)
    assert patience.over(mask, step=3)
    assert patience.any_over(mask, step=3)


def test_a_group_that_holds_has_endless_patience() -> None:
    script = two_that_wait(GiveUp.HOLD)
    mask = 1 << script.history.slot_of(NEVER)
    assert not Patience(script.ledger()).over(mask, step=3)


def test_what_is_delivered_already_was_never_wanted() -> None:
    script = Script()
    parent = script.message("bob#1", 1)
    child = script.message("alice#1", 1, answers=[parent])
    script.receive(parent, delivered(1, parent))
    script.receive(child, delivered(2, child))
    assert wanted_since(script.ledger()) == {}


def test_ancestry_follows_what_was_handed_over_and_ends_at_what_was_not() -> None:
    script = Script()
    middle = script.message("alice#1", 1, answers=[NEVER])
    child = script.message("alice#1", 2, answers=[middle])
    script.receive(child, held(child, middle))
    before = ancestry(child, contents=script.ledger().contents)
    assert script.history.names(before) == "alice#1:1"
    script.receive(middle, held(middle, NEVER))
    after = ancestry(child, contents=script.ledger().contents)
    assert script.history.names(after) == "bob#1:1, alice#1:1"


def test_who_is_given_up_on_up_to_a_number_is_so_for_every_id_below_it() -> None:
    ids = [MessageId(MemberId("bob#1"), seq) for seq in (4, 1 << 60, (1 << 60) + 1)]
    wanted = {1: 10}
    count_along(wanted, ids=ids)
    assert wanted == {0: 10, 1: 10}
