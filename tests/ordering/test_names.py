"""Laws of names: a restart must not lose what is on its way, nor let a dead process talk on."""

from __future__ import annotations

import pytest

from ordering.engine import Engine
from ordering.events import Reason
from ordering.names import admit, is_superseded
from ordering.policy import GiveUp, GroupPolicy, Limits
from ordering.state import GroupState
from tests.ordering.memories import FAR, memory
from tests.ordering.messages import (
    PATIENCE_US,
    delivered,
    group,
    ident,
    marks,
    quarantined,
    say,
)

GRACE_US = 600
LIMITS = Limits(members=3, incarnations_per_name=2, sequence_jump=10, incarnation_grace_us=GRACE_US)


def bounded() -> GroupState:
    state = memory(GroupPolicy(limits=LIMITS))
    state.now = 0
    return state


def admit_all(state: GroupState, *names: str) -> list[Reason | None]:
    return [admit(state, ident(name)) for name in names]


def test_a_first_message_makes_a_member_with_its_name_and_incarnation() -> None:
    state = bounded()
    assert admit(state, ident("a.7:1")) is None
    member = state.members["a#7"]
    assert (member.name, member.incarnation, member.first_seen_at) == ("a", 7, 0)
    assert state.registered_count == 1


def test_a_refused_stranger_leaves_no_trace() -> None:
    state = bounded()
    assert admit(state, ident(f"a{FAR}")) is Reason.SEQUENCE_JUMP
    assert state.members == {}
    assert state.names == {}
    assert state.registered_count == 0


@pytest.mark.parametrize(("seq", "reason"), [(10, None), (11, Reason.SEQUENCE_JUMP)])
def test_a_sender_may_run_ahead_by_the_jump_and_no_further(seq: int, reason: Reason | None) -> None:
    assert admit(bounded(), ident(f"a{seq}")) is reason


def test_a_group_admits_as_many_senders_as_its_limit() -> None:
    assert admit_all(bounded(), "a1", "b1", "c1", "d1") == [None, None, None, Reason.MEMBERS_FULL]


def test_the_newest_incarnation_alone_is_not_superseded() -> None:
    state = bounded()
    admit_all(state, "a.2:1", "a.1:1", "b.1:1")
    superseded = {pid for pid, member in state.members.items() if is_superseded(state, member)}
    assert superseded == {"a#1"}


def test_the_oldest_idle_incarnation_is_retired_and_never_admitted_again() -> None:
    state = bounded()
    assert admit_all(state, "a.1:1", "a.2:1", "a.3:1") == [None, None, None]
    assert state.is_retired("a#1")
    assert state.registered_count == 2
    assert admit(state, ident("a.1:1")) is Reason.SUPERSEDED_INCARNATION
    assert not state.is_retired("a#2")
    assert not state.is_retired("b#1")


def test_an_older_newcomer_does_not_push_out_a_newer_incarnation() -> None:
    state = bounded()
    admit_all(state, "a.5:1", "a.6:1")
    assert admit(state, ident("a.4:1")) is Reason.INCARNATIONS_FULL


def test_an_incarnation_that_has_messages_held_is_not_retired() -> None:
    engine = group(limits=LIMITS)
    engine.receive_all([say("a.1:1", "z1"), say("a.2:1")], now=0)
    assert quarantined(engine.receive(say("a.3:1"), now=0)) == {"a.3:1": "incarnations_full"}
    assert delivered(engine.receive(say("z1"), now=0)) == "z1 a1"
    assert delivered(engine.receive(say("a.3:1"), now=0)) == "a.3:1"


def test_nobody_waits_for_a_retired_incarnation() -> None:
    engine = group(limits=LIMITS)
    engine.receive_all([say("a.1:1"), say("a.2:1"), say("a.3:1")], now=0)
    assert delivered(engine.receive(say("b1", "a.1:9"), now=0)) == "b1"


def test_after_the_grace_an_older_incarnation_fills_gaps_but_adds_nothing() -> None:
    engine = group(limits=LIMITS)
    engine.receive_all([say("a1"), say("a2"), say("a4"), say("a.2:1")], now=0)
    assert delivered(engine.receive(say("a5"), now=GRACE_US)) == "a5"
    late = engine.receive_all([say("a3"), say("a6")], now=GRACE_US + 1)
    assert delivered(late) == "a3"
    assert quarantined(late) == {"a6": "superseded_incarnation"}


def test_after_the_grace_an_older_incarnation_may_say_what_somebody_waits_for() -> None:
    engine = group(limits=LIMITS)
    engine.receive_all([say("a1"), say("a.2:1"), say("b1", "a6")], now=0)
    late = engine.receive_all([say("a7"), say("a6")], now=GRACE_US + 1)
    assert quarantined(late) == {"a7": "superseded_incarnation"}
    assert delivered(late) == "a6 b1"


def test_after_the_grace_an_older_incarnation_may_say_what_was_given_up() -> None:
    limits = Limits(incarnation_grace_us=10)
    engine = group("semantic+fifo", give_up=GiveUp.RELEASE, limits=limits)
    engine.receive_all([say("a1"), say("b1", "a3")], now=0)
    engine.advance(PATIENCE_US)
    engine.receive(say("a.2:1"), now=PATIENCE_US)
    events = engine.receive_all([say("a2"), say("a3")], now=PATIENCE_US + 100)
    assert delivered(events) == "a2 a3"
    assert marks(events) == {"a3": {"late"}}


def test_incarnations_are_known_again_after_a_restart_of_the_host() -> None:
    policy = GroupPolicy(limits=LIMITS)
    engine = Engine(policy)
    for name in ("b.1:1", "a.2:1", "a.1:1", "a.1:2"):
        engine.receive(say(name), now=0)
    state, restored = engine._state, Engine.restore(policy, engine.snapshot())._state
    pids = {name: [one.pid for one in found] for name, found in restored.names.items()}
    assert pids == {"a": ["a#1", "a#2"], "b": ["b#1"]}
    for pid, member in restored.members.items():
        assert member.ceiling == state.members[pid].ceiling or member.ceiling > 1
        assert is_superseded(restored, member) == (pid == "a#1") == (member.ceiling < 0)
