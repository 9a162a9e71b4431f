"""Laws of requirements: exactly an id, and a sender up to here, are never taken for each other."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ordering.requirement import (
    Measure,
    Requirement,
    Standing,
    UpTo,
    Why,
    delivered_up_to,
)
from ordering.values import MemberId, MessageId
from tests.ordering.untimed import untimed

PIDS = st.text(max_size=3).map(MemberId)
SEQS = st.integers(0, 2**60)


@untimed
@given(PIDS, SEQS, st.sampled_from(Measure), st.none() | PIDS)
def test_an_id_is_never_equal_to_a_sender_up_to_it(
    sender: MemberId, seq: int, measure: Measure, by: MemberId | None
) -> None:
    exactly: Requirement = MessageId(sender, seq)
    up_to: Requirement = UpTo(sender, seq, measure, by)
    assert len({exactly, up_to}) == 2
    assert {exactly: 1, up_to: 2}[exactly] == 1
    assert up_to[:2] == exactly[:2]


def test_up_to_here_means_delivered_unless_another_measure_is_named() -> None:
    bob = MemberId("bob#1")
    assert UpTo(bob, 3) == UpTo(bob, 3, Measure.DELIVERED, None)
    assert len({UpTo(bob, 3, measure) for measure in Measure}) == len(Measure)


def test_the_words_for_people_never_change() -> None:
    assert {measure.value for measure in Measure} == {
        "delivered",
        "captured",
        "sent_at",
        "acknowledged",
        "preceding",
    }
    assert {standing.value for standing in Standing} == {
        "delivered",
        "held",
        "abandoned",
        "missing",
        "unknown",
    }


def test_what_is_not_held_has_no_chain() -> None:
    why = Why(MessageId(MemberId("bob#1"), 1), Standing.DELIVERED)
    assert why.chain == ()
    assert why.missing is None


@untimed
@given(PIDS, SEQS)
def test_the_cheap_way_to_make_one_makes_the_same(sender: MemberId, seq: int) -> None:
    made = delivered_up_to(sender, seq)
    assert (type(made), made) == (UpTo, UpTo(sender, seq))
