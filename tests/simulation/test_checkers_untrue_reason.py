"""Laws of the checker `untrue_reason`, on transcripts with a planted fault."""

from __future__ import annotations

from ordering.events import Held
from ordering.requirement import Link, Standing, UpTo, Why
from ordering.values import MemberId, MessageId
from simulation.checkers import untrue_reason
from simulation.history import Entry
from tests.simulation.transcripts import Script, delivered, held


def chain_of_three() -> tuple[Script, Entry, Entry, Entry]:
    """carol answers bob answers alice; alice's message does not come."""
    script = Script()
    alice = script.message("alice#1", 1)
    bob = script.message("bob#1", 1, answers=[alice])
    carol = script.message("carol#1", 1, answers=[bob])
    script.receive(carol, held(carol, bob))
    script.receive(bob, held(bob, alice))
    return script, alice, bob, carol


def explained(script: Script, *whys: Why) -> list[str]:
    ledger = script.ledger()
    for why in whys:
        script.figures.chains[why.message_id] = why
    return [found.sentence for found in untrue_reason.check(ledger)]


def test_the_chain_down_to_what_is_missing_is_true() -> None:
    script, alice, bob, carol = chain_of_three()
    chain = (
        Link(carol.message.id, bob.message.id),
        Link(bob.message.id, alice.message.id),
    )
    why = Why(carol.message.id, Standing.HELD, chain, alice.message.id)
    assert explained(script, why) == []


def test_a_chain_that_stops_at_something_held_is_untrue() -> None:
    script, _, bob, carol = chain_of_three()
    chain = (Link(carol.message.id, bob.message.id),)
    why = Why(carol.message.id, Standing.HELD, chain, bob.message.id)
    (found,) = explained(script, why)
    assert found.startswith("asked why carol#1:1 is held")


def test_naming_what_the_message_does_not_answer_is_untrue() -> None:
    script = Script()
    alice = script.message("alice#1", 1)
    bob = script.message("bob#1", 1, answers=[alice])
    other = MessageId(MemberId("dave#1"), 4)
    script.receive(bob, Held(bob.message, other))
    sentences = explained(script)
    assert any(sentence.startswith("bob#1:1 says it waits for") for sentence in sentences)


def test_naming_what_is_delivered_already_is_untrue() -> None:
    script = Script()
    alice = script.message("alice#1", 1)
    bob = script.message("bob#1", 1, answers=[alice])
    script.receive(alice, delivered(1, alice))
    script.receive(bob, held(bob, alice))
    assert explained(script)


def test_a_sender_up_to_a_number_covers_what_is_missing_below_it() -> None:
    script = Script("fifo")
    third = script.message("alice#1", 3)
    script.receive(third, Held(third.message, UpTo(MemberId("alice#1"), 2)))
    assert explained(script) == []
