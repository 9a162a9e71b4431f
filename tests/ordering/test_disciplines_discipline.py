"""Laws of a discipline: it need say only what a message requires; the rest is plain by default."""

from __future__ import annotations

from ordering.disciplines.discipline import (
    Discipline,
    is_faultless,
    nothing_precedes,
    tells_nothing,
)
from ordering.disciplines.semantic import requires
from ordering.events import Event
from ordering.policy import GroupPolicy
from ordering.receiving import receive_carefully
from ordering.requirement import Measure, UpTo
from ordering.stamps import CausalStamps
from ordering.state import GroupState
from ordering.values import MemberId
from tests.ordering.memories import memory
from tests.ordering.messages import delivered, say


def test_a_discipline_that_only_requires_orders_a_group() -> None:
    state, events = GroupState(GroupPolicy(), Discipline(requires)), list[Event]()
    receive_carefully(state, [say("b1", "a1"), say("a1"), say("c1", "b1")], events)
    assert delivered(events) == "a1 b1 c1"


def test_by_default_no_sender_is_counted_and_no_vector_is_read() -> None:
    plain = Discipline(requires)
    assert not plain.counts
    assert not plain.reads_vectors


def test_by_default_a_message_tells_nothing_and_is_faultless_whatever_its_stamps() -> None:
    message = say("a1", stamps=CausalStamps(("b#1",) * 9, (1,)))
    assert tells_nothing(memory(), message) == []
    assert is_faultless(message, 0) is None


def test_by_default_nothing_precedes_by_a_rule() -> None:
    required = UpTo(MemberId("b#1"), 1, Measure.PRECEDING)
    assert nothing_precedes(memory(), required, say("a1")) is None
