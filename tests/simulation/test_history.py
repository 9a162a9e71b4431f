"""Laws of what the world writes down."""

from __future__ import annotations

from ordering.values import MemberId, Message, MessageId
from simulation.history import LONGEST_COUNT, History, slots_in

ALICE = MemberId("alice#1")


def test_an_id_keeps_its_slot() -> None:
    history = History()
    first = history.slot_of(MessageId(ALICE, 1))
    second = history.slot_of(MessageId(ALICE, 2))
    assert (first, second) == (0, 1)
    assert history.slot_of(MessageId(ALICE, 1)) == first
    assert history.names(0b11) == "alice#1:1, alice#1:2"


def test_an_event_leads_back_to_its_entry_only_if_nothing_was_changed() -> None:
    history = History()
    made = history.write_down(Message(MessageId(ALICE, 1), (), b"x"), requires=0, sent_at=0)
    assert history.entry_of(made.message) is made
    captured_elsewhere = made.message._replace(origin=(made.number, 77))
    assert history.entry_of(captured_elsewhere) is made
    assert history.entry_of(made.message._replace(content=b"y")) is None
    assert history.entry_of(made.message._replace(origin=(5,))) is None
    assert history.entry_of(made.message._replace(origin=())) is None


def test_all_lower_counts_of_a_sender_are_earlier() -> None:
    history = History()
    mask = history.earlier_of(MessageId(ALICE, 4))
    assert [history.ids[slot].seq for slot in slots_in(mask)] == [1, 2, 3]
    assert history.earlier_of(MessageId(ALICE, 1)) == 0


def test_after_a_leap_only_the_count_before_stands_for_the_earlier_ones() -> None:
    history = History()
    mask = history.earlier_of(MessageId(ALICE, LONGEST_COUNT * 2))
    assert [history.ids[slot].seq for slot in slots_in(mask)] == [LONGEST_COUNT * 2 - 1]


def test_the_slots_of_a_mask_come_lowest_first() -> None:
    assert slots_in(0b101001) == [0, 3, 5]
    assert slots_in(0) == []
