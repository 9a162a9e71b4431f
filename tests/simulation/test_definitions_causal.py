"""Laws of the definition of causal order."""

from __future__ import annotations

import pytest

from ordering.values import MemberId, Message, MessageId
from simulation.definitions.causal import Past, Receipts, claimed_by, required_at
from simulation.history import Entry, History


def said(history: History, sender: str, seq: int, past: Past) -> Entry:
    message = Message(MessageId(MemberId(sender), seq), (), b"")
    entry = history.write_down(message, requires=past.mask, sent_at=0)
    past.add(entry)
    return entry


def test_what_was_delivered_before_comes_before_even_through_others() -> None:
    history = History()
    alice, bob, carol = Past(), Past(), Past()
    first = said(history, "alice#1", 1, alice)
    bob.add(first)
    second = said(history, "bob#1", 1, bob)
    carol.add(second)
    third = said(history, "carol#1", 1, carol)
    assert history.names(third.requires) == "alice#1:1, bob#1:1"


def test_messages_of_members_that_have_not_heard_each_other_are_not_ordered() -> None:
    history = History()
    first = said(history, "alice#1", 1, Past())
    second = said(history, "bob#1", 1, Past())
    assert first.requires == second.requires == 0


def test_what_a_member_sent_itself_comes_before() -> None:
    history = History()
    past = Past()
    said(history, "alice#1", 1, past)
    assert history.names(said(history, "alice#1", 2, past).requires) == "alice#1:1"


def test_a_claim_covers_all_earlier_messages_of_the_claimed_sender() -> None:
    history = History()
    before = claimed_by(
        MessageId(MemberId("mallory#1"), 2),
        claims=(MessageId(MemberId("bob#1"), 3),),
        level="causal",
        history=history,
    )
    assert set(history.names(before.requires).split(", ")) == {
        "mallory#1:1",
        "bob#1:1",
        "bob#1:2",
        "bob#1:3",
    }


@pytest.mark.parametrize(
    ("level", "names"),
    [
        ("simple", "nothing"),
        ("reliable", "nothing"),
        ("continuous", "alice#1:1"),
        ("continuously_reliable", "alice#1:1"),
        ("causal", "bob#1:1, alice#1:1"),
        ("full", "bob#1:1, alice#1:1"),
    ],
)
def test_the_level_decides_how_much_of_the_past_counts(level: str, names: str) -> None:
    history = History()
    past = Past()
    past.add(said(history, "bob#1", 1, Past()))
    before = required_at(
        level,
        MessageId(MemberId("alice#1"), 2),
        past=past,
        history=history,
    )
    assert history.names(before.requires) == history.names(before.names) == names


def test_of_its_own_messages_only_the_earlier_come_before_whatever_others_claim() -> None:
    history = History()
    past = Past()
    forged = 1 << history.slot_of(MessageId(MemberId("alice#1"), 9))
    hostile = Message(MessageId(MemberId("mallory#1"), 1), (), b"")
    past.add(history.write_down(hostile, requires=forged, sent_at=0))
    message_id = MessageId(MemberId("alice#1"), 2)
    before = required_at("causal", message_id, past=past, history=history)
    assert set(history.names(before.requires).split(", ")) == {"alice#1:1", "mallory#1:1"}


def test_what_came_above_a_gap_is_not_had_without_a_gap() -> None:
    history = History()
    receipts = Receipts()
    entries = [said(history, "alice#1", seq, Past()) for seq in (1, 2, 3, 4)]
    for entry in (entries[3], entries[0], entries[1]):
        receipts.add(entry)
    assert history.names(receipts.without_gap(history)) == "alice#1:1, alice#1:2"
    assert receipts.members() == ["alice#1"]
