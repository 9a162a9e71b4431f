"""Laws of honest senders."""

from __future__ import annotations

from random import Random

from ordering.values import MemberId, MessageId
from simulation.history import History
from simulation.options import GiveUp, GroupOptions
from simulation.senders.plain import Habits, Seat, Sender

EAGER = Habits(answer_share=1.0, merge_share=0.5, hasty_share=0.5)


def new_sender(discipline: str = "semantic", habits: Habits = EAGER) -> Sender:
    group = GroupOptions(discipline, GiveUp.HOLD, 0)
    return Sender(Seat(MemberId("alice#1"), group, History(), habits, Random(1)))


def test_a_sender_counts_from_one_without_gaps() -> None:
    sender = new_sender()
    assert [sender.make(now=0).message.id.seq for _ in range(5)] == [1, 2, 3, 4, 5]


def test_a_sender_answers_only_what_was_delivered_to_it() -> None:
    sender = new_sender()
    delivered: set[MessageId] = set()
    for _ in range(60):
        entry = sender.make(now=0)
        assert set(entry.message.parents) <= delivered
        if entry.number % 3:
            sender.note(entry, now=0)
            delivered.add(entry.message.id)


def test_a_sender_that_never_answers_writes_to_the_root() -> None:
    sender = new_sender(habits=Habits(0.0, 0.0, 0.0))
    for _ in range(10):
        entry = sender.make(now=0)
        sender.note(entry, now=0)
        assert entry.message.parents == ()


def test_parents_are_never_named_twice() -> None:
    sender = new_sender(habits=Habits(1.0, 1.0, 0.5))
    for _ in range(60):
        entry = sender.make(now=0)
        sender.note(entry, now=0)
        assert len(set(entry.message.parents)) == len(entry.message.parents)
