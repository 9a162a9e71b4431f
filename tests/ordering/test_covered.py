"""Laws of what is known to be covered: never too much, and all of it after a closer look."""

from __future__ import annotations

from random import Random

from hypothesis import given

from ordering.covered import NOTHING
from ordering.engine import Engine
from ordering.policy import GiveUp, Limits
from ordering.values import MemberId
from tests.ordering.messages import PATIENCE_US, group, policy_for, say
from tests.ordering.untimed import briefly
from tests.ordering.worlds import mix, talk, worlds

A, B = MemberId("a#1"), MemberId("b#1")


@briefly
@given(rng=worlds())
def test_it_is_never_ahead_of_what_was_delivered_without_a_gap(rng: Random) -> None:
    engine = Engine(policy_for("causal", give_up=rng.choice(list(GiveUp))))
    now = 0
    for message in mix(talk("causal", rng), rng):
        now += rng.choice((0, 0, PATIENCE_US))
        engine.receive(message, now=now)
        state = engine._state
        for pid, upcoming in state.covered.items():
            member = state.members[pid]
            assert upcoming <= member.next
            assert not member.has_skipped_up_to(upcoming - 1)


def test_a_member_is_asked_once_and_again_after_a_closer_look() -> None:
    engine = group("causal")
    engine.receive_all([say("a1"), say("a2"), say("b1")], now=0)
    covered, member = engine._state.covered, engine._state.members[A]
    assert covered.covers((A, B), (3, 2))
    assert not covered.covers((A, B), (4, 2))
    member.add(3)
    assert not covered.covers((A,), (4,))
    covered.refresh((A, "z#1"))
    assert covered.covers((A,), (4,))


def test_nothing_is_kept_of_names_that_were_only_spoken_of() -> None:
    engine = group("causal")
    engine.receive_all([say("a1"), say("b2")], now=0)
    covered = engine._state.covered
    assert [covered["z#1"], covered[B]] == [NOTHING, 1]
    engine._state.member("y#1")
    assert covered["y#1"] == NOTHING
    assert not {"z#1", "y#1"} & set(covered)


def test_a_retired_member_is_forgotten_here_too() -> None:
    engine = group("causal", limits=Limits(incarnations_per_name=1))
    engine.receive_all([say("a1"), say("a2"), say("a.2:1")], now=0)
    assert set(engine._state.covered) <= {"a#2"}
