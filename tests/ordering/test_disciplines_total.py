"""Laws of total order: the log's order is the order, and a position is one message for everyone."""

from __future__ import annotations

from hypothesis import given

from ordering.disciplines.total import make
from ordering.engine import Engine
from ordering.events import Delivered
from ordering.policy import GroupPolicy
from tests.ordering.histories import History, histories
from tests.ordering.messages import say
from tests.ordering.untimed import untimed

POLICY = GroupPolicy("total")


def test_nothing_is_required_because_the_log_has_decided() -> None:
    assert list(make(POLICY).requires(say("a9", "b1"))) == []


@untimed
@given(histories())
def test_positions_number_the_fresh_messages_of_the_log(history: History) -> None:
    engine, fresh = Engine(POLICY), list[Delivered]()
    for message, now in history:
        events = engine.receive(message, now=now)
        fresh += [event for event in events if isinstance(event, Delivered)]
    assert [event.position for event in fresh] == list(range(1, len(fresh) + 1))
    received = iter(message for message, _ in history)
    assert all(event.message in received for event in fresh)


@untimed
@given(histories())
def test_every_consumer_sees_the_same_message_at_a_position(history: History) -> None:
    first, second = (
        [engine.receive(message, now=now) for message, now in history]
        for engine in (Engine(POLICY), Engine(POLICY))
    )
    assert first == second
