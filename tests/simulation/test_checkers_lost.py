"""Laws of the checker `lost`, on transcripts with a planted fault."""

from __future__ import annotations

from ordering.events import Delivered, Duplicate, Quarantined, Reason
from simulation.checkers import lost
from tests.simulation.transcripts import Script, delivered, held


def test_what_is_delivered_or_held_is_not_lost() -> None:
    script = Script()
    first = script.message("alice#1", 1)
    second = script.message("alice#1", 2, answers=[script.message("bob#1", 1)])
    script.receive(first, delivered(1, first))
    script.receive(second, held(second, second.message.parents[0]))
    assert not list(lost.check(script.ledger()))


def test_a_sound_message_that_is_quarantined_is_lost() -> None:
    script = Script()
    first = script.message("alice#1", 1)
    script.receive(first, Quarantined(first.message, Reason.CYCLE))
    (found,) = lost.check(script.ledger())
    assert found.sentence == "alice#1:1 was quarantined (cycle) without cause"


def test_a_message_that_is_called_a_duplicate_of_nothing_is_lost() -> None:
    script = Script()
    first = script.message("alice#1", 1)
    script.receive(first, Duplicate(first.message))
    (found,) = lost.check(script.ledger())
    assert found.sentence == "alice#1:1 was handed over and is gone"


def test_a_message_that_comes_out_with_other_content_is_lost() -> None:
    script = Script()
    first = script.message("alice#1", 1, content=b"a")
    script.receive(first, Delivered(1, first.message._replace(content=b"b")))
    sentences = [found.sentence for found in lost.check(script.ledger())]
    assert any(sentence.startswith("what came out is not what went in") for sentence in sentences)
