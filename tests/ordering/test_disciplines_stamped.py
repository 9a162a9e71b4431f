"""Laws of stamped groups: each message is ordered by its own stamps, and bad stamps are refused."""

from __future__ import annotations

import pytest

from ordering.disciplines.stamped import fault, make
from ordering.engine import Engine
from ordering.events import Reason
from ordering.policy import GroupPolicy, Limits
from ordering.stamps import CausalStamps, ObjectStamps, SignificantStamps, Stamps
from tests.ordering.messages import delivered, quarantined, say

STAMPED = ("causal", "significant", "objects")
WIDEST = 2
TWO, THREE = ("b#1", "c#1"), ("b#1", "c#1", "d#1")


@pytest.mark.parametrize(
    ("stamps", "reason"),
    [
        (None, None),
        (CausalStamps((), ()), None),
        (CausalStamps(TWO, (1, 1)), None),
        (CausalStamps(TWO, (1, 1), ack=(1, 1), dst=TWO, lsn=(1, 1)), None),
        (CausalStamps(TWO, (1,)), Reason.STAMPS_MALFORMED),
        (CausalStamps(TWO, (1, 1), ack=(1,)), Reason.STAMPS_MALFORMED),
        (CausalStamps(TWO, (1, 1), lsn=(1,)), Reason.STAMPS_MALFORMED),
        (CausalStamps((), (1,)), Reason.STAMPS_MALFORMED),
        (CausalStamps(THREE, (1, 1, 1)), Reason.VECTOR_TOO_WIDE),
        (CausalStamps(TWO, (1, 1, 1)), Reason.VECTOR_TOO_WIDE),
        (CausalStamps((), (), dst=THREE), Reason.VECTOR_TOO_WIDE),
        (SignificantStamps(1, TWO, (1, 1)), None),
        (SignificantStamps(1, TWO, (1,)), Reason.STAMPS_MALFORMED),
        (SignificantStamps(1, THREE, (1, 1, 1)), Reason.VECTOR_TOO_WIDE),
        (ObjectStamps(0, 1, members=TWO, vector=((0, 1, 1), (0, 1, 1))), None),
        (ObjectStamps(0, 1, members=TWO), Reason.STAMPS_MALFORMED),
        (ObjectStamps(0, 1, members=THREE, vector=((0, 1, 1),) * 3), Reason.VECTOR_TOO_WIDE),
    ],
)
def test_stamps_are_faultless_if_they_are_even_and_not_too_wide(
    stamps: Stamps | None, reason: Reason | None
) -> None:
    assert fault(say("a1", stamps=stamps), WIDEST) is reason


@pytest.mark.parametrize("discipline", STAMPED)
def test_a_message_with_bad_stamps_is_quarantined_and_its_id_stays_free(discipline: str) -> None:
    engine = Engine(GroupPolicy(discipline, limits=Limits(vector_width=WIDEST)))
    wide = say("a1", stamps=CausalStamps(THREE, (1, 1, 1)))
    assert quarantined(engine.receive(wide, now=0)) == {"a1": "vector_too_wide"}
    assert delivered(engine.receive(say("a1"), now=0)) == "a1"


def test_without_stamps_the_groups_own_kind_decides_whether_a_sender_is_kept_in_order() -> None:
    after_one = {
        name: delivered(Engine(GroupPolicy(name)).receive(say("a2"), now=0)) for name in STAMPED
    }
    assert after_one == {"causal": "", "significant": "a2", "objects": "a2"}


@pytest.mark.parametrize("discipline", STAMPED)
def test_a_message_of_another_kind_is_ordered_by_its_own_stamps(discipline: str) -> None:
    engine = Engine(GroupPolicy(discipline))
    later = (
        say("b1", stamps=CausalStamps(("a#1",), (2,))),
        say("c1", stamps=SignificantStamps(20, ("a#1",), (10,))),
        say("d1", stamps=ObjectStamps(0, 1, members=("a#1",), vector=((0, 1, 1),))),
    )
    assert delivered(engine.receive_all(later, now=20)) == ""
    first = say("a1", stamps=SignificantStamps(10))
    assert sorted(delivered(engine.receive(first, now=20)).split()) == ["a1", "b1", "c1", "d1"]


@pytest.mark.parametrize("discipline", STAMPED)
def test_what_was_given_up_is_skipped_because_senders_are_counted(discipline: str) -> None:
    assert make(GroupPolicy(discipline)).counts
