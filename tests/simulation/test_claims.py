"""Laws of what hostile senders claim."""

from __future__ import annotations

import pytest

from ordering.stamps import CausalStamps
from ordering.values import MemberId, MessageId
from simulation.claims import causal_stamps, claim, wide_stamps
from simulation.history import History

OWN = MessageId(MemberId("mallory#1"), 2)
OTHER = MessageId(MemberId("bob#1"), 3)


@pytest.mark.parametrize("discipline", ["none", "fifo", "semantic", "semantic+fifo", "total"])
def test_without_vectors_a_claim_is_made_by_parents_alone(discipline: str) -> None:
    stamps, _ = claim(OWN, parents=(OTHER,), discipline=discipline, history=History())
    assert stamps is None


def test_a_causal_claim_puts_the_message_after_the_claimed_ids() -> None:
    history = History()
    stamps, requires = claim(OWN, parents=(OTHER,), discipline="causal", history=history)
    assert isinstance(stamps, CausalStamps)
    assert dict(zip(stamps.members, stamps.csn, strict=True)) == {"mallory#1": 2, "bob#1": 4}
    assert requires >> history.slot_of(OTHER) & 1


def test_a_claim_of_itself_makes_a_message_come_after_itself() -> None:
    stamps = causal_stamps(OWN, claims=(OWN,))
    assert stamps.csn == (3,)


def test_a_wide_vector_has_as_many_entries_as_asked() -> None:
    stamps = wide_stamps("causal", width=9)
    assert isinstance(stamps, CausalStamps)
    assert len(stamps.members) == len(stamps.csn) == 9
    assert wide_stamps("semantic", width=9) is None
