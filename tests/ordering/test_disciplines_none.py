"""Laws of no order: everything is delivered as it is received, once."""

from __future__ import annotations

from hypothesis import given

from ordering.disciplines.none import requires
from ordering.engine import Engine
from ordering.events import Delivered, Duplicate
from ordering.policy import GroupPolicy
from tests.ordering.histories import History, histories
from tests.ordering.memories import FAR
from tests.ordering.messages import delivered, group, quarantined, say
from tests.ordering.untimed import untimed


def test_nothing_is_required() -> None:
    assert list(requires(say("a9", "b1", "c1"))) == []


@untimed
@given(histories())
def test_nothing_is_ever_held(history: History) -> None:
    engine = Engine(GroupPolicy("none"))
    for message, now in history:
        (event,) = engine.receive(message, now=now)
        if isinstance(event, Delivered):
            assert event.message == message
    assert engine.held_count == 0
    assert engine.missing() == []


def test_a_copy_is_still_dropped_and_a_bad_message_still_quarantined() -> None:
    engine = group("none")
    assert delivered(engine.receive(say("a2", "a9"), now=0)) == "a2"
    assert engine.receive(say("a2", "a9"), now=0) == [Duplicate(say("a2", "a9"))]
    assert quarantined(engine.receive(say(f"a{FAR}"), now=0)) == {f"a{FAR}": "sequence_jump"}
