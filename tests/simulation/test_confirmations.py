"""Laws of who is known to have a message."""

from __future__ import annotations

from ordering.values import MemberId, Message, MessageId
from simulation.confirmations import Confirmations, Word
from simulation.history import Entry, History


def made(
    history: History, sender: str, seq: int, *, confirms: int = 0, confirmers: tuple[str, ...] = ()
) -> Entry:
    return history.write_down(
        Message(MessageId(MemberId(sender), seq), (), b""),
        requires=0,
        confirms=confirms,
        confirmers=confirmers,
        sent_at=0,
    )


def test_a_message_is_known_to_all_only_when_everyone_has_said_so() -> None:
    history = History()
    message = made(history, "alice#1", 1, confirmers=("bob#1", "carol#1"))
    bob = made(history, "bob#1", 1, confirms=1 << message.slot)
    carol = made(history, "carol#1", 1, confirms=1 << message.slot)
    words = [Word(3, bob, is_refused=False), Word(5, carol, is_refused=False)]
    confirmations = Confirmations(words)
    assert not confirmations.must_be_known(message, step=4)
    assert confirmations.must_be_known(message, step=5)
    assert confirmations.could_be_known(message, step=5)


def test_the_word_of_a_refused_message_may_count_and_need_not() -> None:
    history = History()
    message = made(history, "alice#1", 1, confirmers=("bob#1",))
    bob = made(history, "bob#1", 1, confirms=1 << message.slot)
    confirmations = Confirmations([Word(3, bob, is_refused=True)])
    assert confirmations.could_be_known(message, step=3)
    assert not confirmations.must_be_known(message, step=3)


def test_a_message_that_needs_nobodys_word_is_known() -> None:
    message = made(History(), "alice#1", 1)
    assert Confirmations([]).must_be_known(message, step=0)
