"""Laws of the books that are kept of an endpoint."""

from __future__ import annotations

from ordering.events import Duplicate, Quarantined, Reason
from ordering.values import MemberId, MessageId
from tests.simulation.transcripts import Script, delivered, held


def test_the_books_follow_the_events_step_by_step() -> None:
    script = Script()
    parent = script.message("alice#1", 1)
    child = script.message("bob#1", 1, answers=[parent])
    script.receive(child, held(child, parent))
    script.receive(parent, delivered(1, parent), delivered(2, child))
    script.tick()
    ledger = script.ledger()
    both = 1 << parent.slot | 1 << child.slot
    assert ledger.delivered_after == [0, both, both]
    assert [(one.entry, one.before) for one in ledger.deliveries] == [
        (parent, 0),
        (child, 1 << parent.slot),
    ]
    assert ledger.holdings == [(child, 0, 1)]
    assert ledger.freed == {(1, child.number): 0}
    assert ledger.held == []
    assert ledger.receipts == 2


def test_what_is_still_held_has_an_open_end() -> None:
    script = Script()
    orphan = script.message("alice#1", 1, answers=[MessageId(MemberId("bob#1"), 1)])
    script.receive(orphan, held(orphan, orphan.message.parents[0]))
    ledger = script.ledger()
    assert ledger.holdings == [(orphan, 0, None)]
    assert ledger.held == [orphan]


def test_refusals_and_duplicates_are_kept_apart() -> None:
    script = Script()
    first = script.message("alice#1", 1)
    script.receive(first, Quarantined(first.message, Reason.GAVE_UP))
    script.receive(first, Duplicate(first.message))
    ledger = script.ledger()
    assert ledger.refusals == [(0, first, Reason.GAVE_UP)]
    assert ledger.duplicates == [(1, first)]
    assert ledger.gave_up_on(first.slot, before_step=0)
    assert not ledger.gave_up_on(first.slot, before_step=-1)


def test_the_first_content_handed_over_says_what_an_id_requires() -> None:
    script = Script()
    parent = script.message("alice#1", 1)
    one = script.message("mallory#1", 1, answers=[parent], content=b"yes")
    other = script.message("mallory#1", 1, content=b"no")
    script.receive(other, delivered(1, other))
    script.receive(one, Quarantined(one.message, Reason.EQUIVOCATION))
    assert script.ledger().first == {other.slot: other}


def test_a_ring_counts_as_refused_from_the_step_after_its_quarantine() -> None:
    script = Script()
    ring = script.message("mallory#1", 1)
    other = script.message("mallory#1", 2)
    script.receive(ring, Quarantined(ring.message, Reason.CYCLE))
    script.receive(other, Quarantined(other.message, Reason.GAVE_UP))
    ledger = script.ledger()
    assert ledger.refused_as_ring(before_step=0) == 0
    assert ledger.refused_as_ring(before_step=2) == 1 << ring.slot
