"""Laws of judging: what is there is met, what was given up is passed, the rest has a place."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ordering.frontier import Frontier
from ordering.judging import Verdict, is_orphan, judge, seek
from ordering.member import Progress
from ordering.policy import GiveUp, GroupPolicy
from ordering.receiving import receive_carefully
from ordering.requirement import Measure, Requirement, UpTo
from ordering.state import GroupState
from ordering.values import MemberId
from tests.ordering.memories import FAR, memory
from tests.ordering.messages import ident, policy_for, say
from tests.ordering.untimed import untimed

BOB = MemberId("b#1")
CAROL = MemberId("c#1")
ASKING = say("q1")


def having(*seqs: int, give_up: GiveUp = GiveUp.HOLD) -> GroupState:
    """A group without order that has delivered these of bob."""
    state = memory(policy_for("none", give_up=give_up))
    state.now = 0
    receive_carefully(state, [say(f"b{seq}") for seq in seqs], [])
    return state


def place(state: GroupState, requirement: Requirement) -> tuple[str, int] | Verdict:
    """Spell where to wait."""
    found = judge(state, requirement, ASKING)
    if isinstance(found, Verdict):
        return found
    owner, seq = found
    return (owner.measure.value if isinstance(owner, Frontier) else owner.pid), seq


@untimed
@given(st.sets(st.integers(1, 12)), st.integers(1, 14))
def test_an_id_is_met_if_it_was_delivered_and_else_waited_for_where_it_is(
    seqs: set[int], seq: int
) -> None:
    expected = Verdict.MET if seq in seqs else (BOB, seq)
    assert place(having(*seqs), ident(f"b{seq}")) == expected


@untimed
@given(st.sets(st.integers(1, 12), min_size=1), st.integers(0, 14))
def test_a_sender_up_to_a_seq_is_met_if_all_of_it_was_delivered(seqs: set[int], seq: int) -> None:
    found = place(having(*seqs), UpTo(BOB, seq))
    holes = set(range(1, seq + 1)) - seqs
    if not holes:
        assert found is Verdict.MET
    else:
        assert found == (BOB, seq if seq in holes else min(holes))


def test_nothing_up_to_nothing_is_met_even_of_a_stranger() -> None:
    assert place(memory(), UpTo(BOB, 0)) is Verdict.MET
    assert place(memory(), UpTo(BOB, 1)) == (BOB, 1)
    assert place(having(1), UpTo(BOB, FAR)) == (BOB, FAR)


def test_a_retired_incarnation_is_always_met() -> None:
    state = memory()
    state.retired["b"] = 1
    assert place(state, ident("b7")) is Verdict.MET
    assert place(state, UpTo(BOB, 7)) is Verdict.MET
    assert place(state, ident("b.2:7")) == ("b#2", 7)


@pytest.mark.parametrize(
    ("give_up", "verdict"),
    [(GiveUp.RELEASE, Verdict.GIVEN_UP), (GiveUp.QUARANTINE, Verdict.REFUSED)],
)
def test_what_was_given_up_is_gone_on_without_or_refused(give_up: GiveUp, verdict: Verdict) -> None:
    state = having(1, give_up=give_up)
    state.abandon(ident("b5"), account="q#1")
    assert place(state, ident("b5")) is verdict
    assert place(state, ident("b6")) == (BOB, 6)


def test_what_was_skipped_is_gone_on_without() -> None:
    state = having(1, 3)
    state.members[BOB].skip(2, 2)
    assert place(state, ident("b2")) is Verdict.GIVEN_UP
    assert place(state, UpTo(BOB, 1)) is Verdict.MET
    assert place(state, UpTo(BOB, 3)) is Verdict.GIVEN_UP
    assert place(state, UpTo(BOB, 4)) == (BOB, 4)


@pytest.mark.parametrize("measure", [Measure.ACKNOWLEDGED, Measure.CAPTURED, Measure.SENT_AT])
def test_what_only_grows_is_waited_for_at_a_frontier(measure: Measure) -> None:
    state = memory(GroupPolicy("causal"))
    assert place(state, UpTo(BOB, FAR, measure, by=CAROL)) == (measure.value, FAR)


def test_an_acknowledgement_is_met_by_the_member_who_must_give_it_alone() -> None:
    state = memory(GroupPolicy("causal"))
    state.acknowledged[CAROL] = {BOB: 4}
    by_carol = UpTo(BOB, 4, Measure.ACKNOWLEDGED, by=CAROL)
    assert place(state, by_carol) is Verdict.MET
    assert place(state, by_carol._replace(seq=5)) == ("acknowledged", 5)
    assert place(state, by_carol._replace(by=MemberId("d#1"))) == ("acknowledged", 4)


def test_an_instant_is_met_when_delivered_through_or_older_than_the_network_allows() -> None:
    state = memory(GroupPolicy("significant", delta_us=10))
    state.now, state.delivered_through[BOB] = 100, 95
    asked = {instant: place(state, UpTo(BOB, instant, Measure.SENT_AT)) for instant in (95, 96)}
    assert asked == {95: Verdict.MET, 96: ("sent_at", 96)}
    assert place(state, UpTo(CAROL, 89, Measure.SENT_AT)) is Verdict.MET
    assert place(state, UpTo(CAROL, 90, Measure.SENT_AT)) == ("sent_at", 90)


def test_seeking_stops_at_the_first_thing_that_is_not_met_and_notes_what_was_given_up() -> None:
    state = having(1, give_up=GiveUp.RELEASE)
    state.abandon(ident("z1"), account="q#1")
    requirements = (ident("b1"), ident("z1"), ident("y1"), ident("b2"))
    progress = Progress(requirements, step=0, held_at=0)
    assert not isinstance(seek(state, progress, ASKING), Verdict)
    assert (progress.step, progress.given_up) == (2, [ident("z1")])
    assert seek(state, Progress((), step=0, held_at=0), ASKING) is Verdict.MET


def test_a_message_is_no_orphan_once_what_it_went_without_has_come() -> None:
    state = having(1)
    progress = Progress((), step=0, held_at=0)
    assert not is_orphan(state, progress)
    progress.given_up = [ident("b2")]
    assert is_orphan(state, progress)
    receive_carefully(state, [say("b2")], [])
    assert not is_orphan(state, progress)
