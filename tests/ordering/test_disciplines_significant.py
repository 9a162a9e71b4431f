"""Laws of significant order: after what precedes by its stamps, but never longer than delta."""

from __future__ import annotations

from ordering.disciplines.significant import instants, requires
from ordering.engine import Engine
from ordering.policy import GroupPolicy
from ordering.receiving import receive_carefully
from ordering.requirement import Measure, UpTo
from ordering.stamps import SignificantStamps
from ordering.values import MemberId, Message
from tests.ordering.memories import FAR, memory
from tests.ordering.messages import delivered, say

DELTA_US = 100
POLICY = GroupPolicy("significant", delta_us=DELTA_US)
ALICE = MemberId("a#1")


def sent(name: str, at: int, *, after_alice: int = 0, after_own: int = 0) -> Message:
    stamps = SignificantStamps(at, (ALICE,), (after_alice,), after_own)
    return say(name, stamps=stamps)


def test_the_senders_own_instant_is_required_first_and_empty_entries_not_at_all() -> None:
    own = UpTo(MemberId("b#1"), 7, Measure.SENT_AT)
    other = UpTo(ALICE, 9, Measure.SENT_AT)
    assert requires(sent("b1", 10, after_alice=9, after_own=7)) == (own, other)
    assert requires(sent("b1", 10)) == ()
    assert requires(sent("a2", 10, after_alice=9)) == ()
    assert requires(say("b1")) == ()


def test_a_message_waits_until_all_that_precedes_is_delivered() -> None:
    engine = Engine(POLICY)
    events = engine.receive_all([sent("b1", 30, after_alice=20), sent("a2", 20)], now=30)
    assert delivered(events) == "a2"
    assert delivered(engine.receive(sent("a1", 10), now=30)) == "a1 b1"


def test_after_delta_the_network_has_delivered_all_that_there_was() -> None:
    engine = Engine(POLICY)
    engine.receive(sent("b1", 30, after_alice=20), now=30)
    assert engine.next_deadline() == 20 + DELTA_US + 1
    assert delivered(engine.advance(20 + DELTA_US)) == ""
    assert delivered(engine.advance(20 + DELTA_US + 1)) == "b1"


def test_what_precedes_nothing_of_the_vector_is_not_waited_for() -> None:
    engine = Engine(POLICY)
    engine.receive(sent("b1", 30, after_alice=20), now=30)
    events = engine.receive_all([sent("b2", 31), sent("c1", 31)], now=31)
    assert delivered(events) == "b2 c1"


def test_the_instant_moves_with_the_prefix_and_takes_along_what_was_beyond_a_gap() -> None:
    state = memory(POLICY)
    state.now = 0
    reached = []
    for name, at in (("a1", 10), ("a3", 30), ("a2", 20)):
        receive_carefully(state, [sent(name, at)], [])
        reached.append(state.delivered_through[ALICE])
    assert reached == [10, 10, 30]
    assert state.uncounted == {}


def test_a_gap_older_than_delta_no_longer_holds_the_instant_back() -> None:
    state = memory(POLICY)
    state.now = FAR
    receive_carefully(state, [sent("a3", FAR - DELTA_US - 1)], [])
    assert state.delivered_through[ALICE] == FAR - DELTA_US - 1


def test_a_message_without_stamps_tells_no_instant() -> None:
    state = memory(POLICY)
    receive_carefully(state, [say("a1")], [])
    assert instants(state, say("a1")) == []
    assert state.delivered_through == {}
