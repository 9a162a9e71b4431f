"""Laws of the messages that are measured."""

from __future__ import annotations

from benchmarks.arrivals import Arrival, conversation
from benchmarks.decoding import CONTENT_BYTES, PIDS, batches, decoded


def test_every_message_has_as_many_bytes_as_stated_and_none_has_those_of_another() -> None:
    messages = decoded(conversation(2_000, jitter=50))
    assert {len(message.content) for message in messages} == {CONTENT_BYTES}
    assert len({message.content for message in messages}) == len(messages)


def test_a_row_becomes_the_message_it_stands_for() -> None:
    (message,) = decoded([Arrival(1, 7, 2, 3)])
    assert message.id == (PIDS[1], 7)
    assert message.parents == ((PIDS[2], 3),)


def test_a_row_without_parent_becomes_a_message_that_answers_nothing() -> None:
    (message,) = decoded([Arrival(0, 1, -1, 0)])
    assert message.parents == ()


def test_batches_hold_all_messages_in_order_and_the_last_may_be_smaller() -> None:
    arrivals = list(conversation(25, jitter=0))
    made = list(batches(arrivals, size=10))
    assert [len(batch) for batch in made] == [10, 10, 5]
    assert [message for batch in made for message in batch] == decoded(arrivals)
