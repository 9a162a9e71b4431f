"""Laws of honest senders."""

from __future__ import annotations

from random import Random

import pytest

from ordering.values import MemberId, Message, MessageId
from simulation.history import History
from simulation.senders import Habits, Sender, named_by

EAGER = Habits(answer_share=1.0, merge_share=0.5, hasty_share=0.5)


def new_sender(discipline: str = "semantic", habits: Habits = EAGER) -> Sender:
    return Sender(
        MemberId("alice#1"),
        discipline=discipline,
        history=History(),
        habits=habits,
        rng=Random(1),
    )


def test_a_sender_counts_from_one_without_gaps() -> None:
    sender = new_sender()
    assert [sender.make(now=0).message.id.seq for _ in range(5)] == [1, 2, 3, 4, 5]


def test_a_sender_answers_only_what_was_delivered_to_it() -> None:
    sender = new_sender()
    delivered = set()
    for _ in range(60):
        entry = sender.make(now=0)
        assert set(entry.message.parents) <= delivered
        if entry.number % 3:
            sender.note(entry)
            delivered.add(entry.message.id)


def test_a_sender_that_never_answers_writes_to_the_root() -> None:
    sender = new_sender(habits=Habits(0.0, 0.0, 0.0))
    for _ in range(10):
        entry = sender.make(now=0)
        sender.note(entry)
        assert entry.message.parents == ()


def test_parents_are_never_named_twice() -> None:
    sender = new_sender(habits=Habits(1.0, 1.0, 0.5))
    for _ in range(60):
        entry = sender.make(now=0)
        sender.note(entry)
        assert len(set(entry.message.parents)) == len(entry.message.parents)


@pytest.mark.parametrize(
    ("discipline", "named"),
    [
        ("none", []),
        ("total", []),
        ("fifo", ["alice#1:1"]),
        ("semantic", ["bob#1:7"]),
        ("semantic+fifo", ["alice#1:1", "bob#1:7"]),
    ],
)
def test_what_a_message_names_follows_from_the_discipline(
    discipline: str, named: list[str]
) -> None:
    history = History()
    history.slot_of(MessageId(MemberId("alice#1"), 1))
    parents = (MessageId(MemberId("bob#1"), 7),)
    message = Message(MessageId(MemberId("alice#1"), 2), parents, b"")
    mask = named_by(message, discipline=discipline, history=history)
    assert history.names(mask) == (", ".join(named) or "nothing")
