"""Laws of delivering: positions count up by one, and a delivery brings along what waited for it."""

from __future__ import annotations

from ordering.delivering import deliver
from ordering.events import Delivered, Event, Held
from ordering.frontier import key_for
from ordering.member import Progress
from ordering.names import admit
from ordering.policy import Acceptance, GroupPolicy, Limits
from ordering.receiving import receive_carefully
from ordering.requirement import Measure, UpTo
from ordering.stamps import CausalStamps
from ordering.state import GroupState
from tests.ordering.memories import memory
from tests.ordering.messages import delivered, group, ident, marks, quarantined, say

LONG = 5_000


def deliver_fresh(state: GroupState, name: str) -> list[Event]:
    """Deliver a message that has met everything."""
    message, events = say(name), list[Event]()
    assert admit(state, message.id) is None
    member = state.members[message.id.sender]
    deliver(state, member, message, Progress((), step=0, held_at=0), events)
    return events


def holding(*said: tuple[str, ...]) -> GroupState:
    state = memory()
    receive_carefully(state, [say(*one) for one in said], [])
    return state


def test_positions_count_from_one_without_a_gap() -> None:
    state = holding(("b1", "a1"), ("c1", "b1"))
    events = deliver_fresh(state, "a1") + deliver_fresh(state, "d1")
    positions = [event.position for event in events if isinstance(event, Delivered)]
    assert positions == [1, 2, 3, 4]
    assert (state.position, state.held_count) == (4, 0)


def test_what_is_freed_comes_depth_first_and_first_come_first_served() -> None:
    state = holding(("c1", "a1"), ("b1", "a1"), ("d1", "b1"), ("e1", "c1"), ("f1", "c1"))
    assert delivered(deliver_fresh(state, "a1")) == "a1 c1 e1 f1 b1 d1"


def test_what_waits_for_something_else_stays() -> None:
    state = holding(("b1", "z1"), ("c1", "a1"))
    assert delivered(deliver_fresh(state, "a1")) == "a1 c1"
    assert state.held_count == 1


def test_a_message_of_two_parents_waits_for_both_and_is_told_of_the_second() -> None:
    state = holding(("c1", "a1", "b1"))
    first = deliver_fresh(state, "a1")
    assert first[1:] == [Held(say("c1", "a1", "b1"), ident("b1"))]
    assert delivered(deliver_fresh(state, "b1")) == "b1 c1"


def test_a_plain_delivery_has_no_marks() -> None:
    assert marks(deliver_fresh(holding(("b1", "a1")), "a1")) == {}


def test_what_comes_after_it_was_given_up_is_late_once() -> None:
    state = memory()
    state.now = 0
    state.abandon(ident("a1"), account="b#1")
    assert marks(deliver_fresh(state, "a1")) == {"a1": {"late"}}
    assert not state.is_abandoned(ident("a1"))


def test_a_cycle_that_a_delivery_brings_to_light_is_quarantined_with_all_that_hangs() -> None:
    state = holding(("c1", "a1", "b1"), ("b1", "c1"), ("d1", "b1"), ("e1", "a1"))
    events = deliver_fresh(state, "a1")
    assert quarantined(events) == {"c1": "cycle", "b1": "cycle", "d1": "cycle"}
    assert delivered(events) == "a1 e1"
    assert state.held_count == 0


def test_a_frontier_that_moves_frees_those_who_wait_for_no_more_than_it_reached() -> None:
    state = memory(GroupPolicy("causal", acceptance=Acceptance.RELIABLE))
    events: list[Event] = []
    asks = CausalStamps((), (), dst=("c#1",))
    receive_carefully(state, [say("a1", stamps=asks), say("a2", stamps=asks)], events)
    alice, carol = ident("a1").sender, ident("c1").sender
    wanted = [UpTo(alice, seq, Measure.ACKNOWLEDGED, by=carol) for seq in (1, 2)]
    assert [event.waiting_for for event in events if isinstance(event, Held)] == wanted
    for seq in (1, 2):
        events.clear()
        says = CausalStamps(("a#1",), (1,), ack=(seq + 1,), dst=("c#1",))
        receive_carefully(state, [say(f"c{seq}", stamps=says)], events)
        assert delivered(events) == f"c{seq} a{seq}"
    assert key_for("a#1", Measure.ACKNOWLEDGED, by="c#1") not in state.frontiers


def test_a_star_and_a_chain_of_many_are_delivered_without_recursion() -> None:
    engine = group("semantic+fifo", limits=Limits(held_per_sender=LONG))
    engine.receive_all([say(f"b{seq}", "a1") for seq in range(LONG, 0, -1)], now=0)
    events = engine.receive(say("a1"), now=0)
    positions = [event.position for event in events if isinstance(event, Delivered)]
    assert positions == list(range(1, LONG + 2))
