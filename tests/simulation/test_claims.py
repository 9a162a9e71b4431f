"""Laws of what hostile senders claim."""

from __future__ import annotations

import pytest

from ordering.stamps import CausalStamps, ObjectStamps, SignificantStamps
from ordering.values import MemberId, Message, MessageId
from simulation.claims import FUTURE_US, causal_stamps, claim, wide_stamps
from simulation.history import History
from simulation.options import GiveUp, GroupOptions, Hostility

OWN = MessageId(MemberId("mallory#1"), 2)
OTHER = MessageId(MemberId("bob#1"), 3)


@pytest.mark.parametrize("discipline", ["none", "fifo", "semantic", "semantic+fifo", "total"])
def test_without_vectors_a_claim_is_made_by_parents_alone(discipline: str) -> None:
    stamps, _ = claim(
        OWN,
        parents=(OTHER,),
        group=GroupOptions(discipline, GiveUp.HOLD, 0),
        history=History(),
        now=0,
    )
    assert stamps is None


def test_a_causal_claim_puts_the_message_after_the_claimed_ids() -> None:
    history = History()
    stamps, before = claim(
        OWN, parents=(OTHER,), group=GroupOptions("causal", GiveUp.HOLD, 0), history=history, now=0
    )
    assert isinstance(stamps, CausalStamps)
    assert dict(zip(stamps.members, stamps.csn, strict=True)) == {"mallory#1": 2, "bob#1": 4}
    assert before.requires >> history.slot_of(OTHER) & 1


def test_a_claim_of_itself_makes_a_message_come_after_itself() -> None:
    stamps = causal_stamps(OWN, claims=(OWN,))
    assert stamps.csn == (3,)


def test_a_wide_vector_has_as_many_entries_as_asked() -> None:
    stamps = wide_stamps("causal", width=9)
    assert isinstance(stamps, CausalStamps)
    assert len(stamps.members) == len(stamps.csn) == 9
    assert wide_stamps("semantic", width=9) is None


def test_a_made_up_instant_may_be_waited_for_and_orders_nothing() -> None:
    history = History()
    stamps, before = claim(
        OWN,
        parents=(OTHER,),
        group=GroupOptions("significant", GiveUp.HOLD, 0),
        history=history,
        now=5,
    )
    assert isinstance(stamps, SignificantStamps)
    assert dict(zip(stamps.members, stamps.preceding, strict=True)) == {"bob#1": 5 + FUTURE_US}
    assert before.requires == 0
    assert before.awaits != 0


def test_an_instant_of_a_message_that_was_sent_is_its_time_of_sending() -> None:
    history = History()
    sent = history.write_down(Message(OTHER, (), b""), requires=0, sent_at=77)
    stamps, before = claim(
        OWN,
        parents=(OTHER,),
        group=GroupOptions("significant", GiveUp.HOLD, 0),
        history=history,
        now=90,
    )
    assert isinstance(stamps, SignificantStamps)
    assert stamps.preceding == (77,)
    assert before.requires == 1 << sent.slot


def test_an_object_vector_counts_the_claimed_ids_and_leaves_its_own_out() -> None:
    history = History()
    stamps, before = claim(
        OWN,
        parents=(OTHER, OWN),
        group=GroupOptions("objects", GiveUp.HOLD, 0),
        history=history,
        now=5,
    )
    assert isinstance(stamps, ObjectStamps)
    assert stamps.members == ("bob#1",)
    assert stamps.vector[0][2] == OTHER.seq
    assert before.captures >> history.slot_of(OTHER) & 1


def test_an_instant_of_a_hostile_message_orders_nothing() -> None:
    history = History()
    other = history.write_down(
        Message(OTHER, (), b""), requires=0, sent_at=77, maybe_hostility=Hostility.JUMP
    )
    _, before = claim(
        OWN,
        parents=(OTHER,),
        group=GroupOptions("significant", GiveUp.HOLD, 0),
        history=history,
        now=90,
    )
    assert before.requires == 0
    assert before.awaits >> other.slot & 1
