"""Laws of the naive algorithm: it is slow, and right."""

from __future__ import annotations

import pytest

from benchmarks.arrivals import backwards, conversation
from benchmarks.decoding import PIDS, decoded
from benchmarks.naive import NaiveOrder
from ordering.engine import Engine
from ordering.events import Delivered
from ordering.policy import GroupPolicy
from ordering.values import MemberId, Message, MessageId

ALICE, BOB = MemberId("alice#1"), MemberId("bob#1")


def said(sender: MemberId, seq: int, *parents: MessageId) -> Message:
    return Message(MessageId(sender, seq), parents, b"")


@pytest.mark.parametrize("jitter", [0, 20, 200])
def test_a_child_is_never_delivered_before_its_parent_and_all_are_delivered(jitter: int) -> None:
    messages = decoded(conversation(2_000, jitter=jitter))
    delivered: set[MessageId] = set()
    for message in NaiveOrder().receive_all(messages):
        assert delivered.issuperset(message.parents)
        delivered.add(message.id)
    assert delivered == {message.id for message in messages}


def test_it_delivers_at_the_same_arrivals_as_the_engine() -> None:
    naive, engine = NaiveOrder(), Engine(GroupPolicy())
    for message in decoded(conversation(2_000, jitter=100)):
        events = engine.receive(message, now=0)
        by_engine = {event.message.id for event in events if isinstance(event, Delivered)}
        assert {one.id for one in naive.receive_all([message])} == by_engine


def test_what_waits_is_delivered_depth_first() -> None:
    root = said(ALICE, 1)
    first, second = said(BOB, 1, root.id), said(BOB, 2, root.id)
    below_first = said(ALICE, 2, first.id)
    order = NaiveOrder()
    assert order.receive_all([first, second, below_first]) == []
    assert order.receive_all([root]) == [root, first, below_first, second]


def test_a_long_chain_does_not_end_in_a_recursion_error() -> None:
    messages = decoded(backwards(1_500))
    assert NaiveOrder().receive_all(messages) == messages[::-1]


@pytest.mark.parametrize(
    ("seqs", "runs"),
    [
        ([1, 2, 3], [[1, 3]]),
        ([3, 1, 2], [[1, 3]]),
        ([5, 1, 9], [[1, 1], [5, 5], [9, 9]]),
        ([1, 2, 6, 7, 5], [[1, 2], [5, 7]]),
    ],
)
def test_the_runs_of_a_member_stay_sorted_and_apart(seqs: list[int], runs: list[list[int]]) -> None:
    order = NaiveOrder()
    order.receive_all([said(PIDS[0], seq) for seq in seqs])
    assert order._lists[PIDS[0]] == runs
