"""Laws of what a message counts: a sequence of requirements that is written out only when asked."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ordering.counted import Counted
from ordering.judging import Verdict, judge
from ordering.policy import GroupPolicy
from ordering.receiving import receive_carefully
from ordering.requirement import UpTo
from ordering.values import MemberId, MessageId
from tests.ordering.memories import FAR, memory
from tests.ordering.messages import say
from tests.ordering.untimed import untimed

BOB = MemberId("b#1")
ENTRIES = st.lists(st.tuples(st.sampled_from(("a#1", "b#1", "c#1")), st.integers(0, 6)), max_size=5)


def counted(seq: int, entries: list[tuple[str, int]]) -> Counted:
    members, upcoming = tuple(name for name, _ in entries), tuple(count for _, count in entries)
    return Counted(MessageId(BOB, seq), members, upcoming)


def test_the_senders_own_earlier_messages_come_first_and_then_the_vector() -> None:
    wanted = [UpTo(BOB, 6), UpTo(MemberId("a#1"), 3), UpTo(BOB, 0)]
    assert list(counted(7, [("a#1", 4), (BOB, 7)])) == wanted


def test_a_first_message_without_a_vector_counts_nothing() -> None:
    assert list(counted(1, [])) == [UpTo(BOB, 0)]


@untimed
@given(st.integers(1, 6), ENTRIES, st.slices(6))
def test_it_is_read_like_any_sequence(
    seq: int, entries: list[tuple[str, int]], part: slice
) -> None:
    requirements = counted(seq, entries)
    written = [requirements[place] for place in range(len(requirements))]
    assert list(requirements) == written
    assert len(requirements) == 1 + len(entries)
    assert list(requirements[part]) == written[part]
    for beyond in (len(requirements), FAR):
        with pytest.raises(IndexError):
            requirements[beyond]


@untimed
@given(st.integers(1, 6), ENTRIES)
def test_it_asks_for_itself_if_an_entry_counts_the_message_or_a_later_one(
    seq: int, entries: list[tuple[str, int]]
) -> None:
    requirements = counted(seq, entries)
    wanted = any(one.sender == BOB and one.seq >= seq for one in requirements)
    assert requirements.asks_for_itself() == wanted


@untimed
@given(st.integers(1, 6), ENTRIES, st.sets(st.sampled_from("abc").map(str)), st.integers(0, 5))
def test_all_that_is_passed_over_is_met(
    seq: int, entries: list[tuple[str, int]], senders: set[str], first: int
) -> None:
    state, message = memory(GroupPolicy("none")), say(f"b{seq}")
    for name in sorted(senders):
        receive_carefully(state, [say(f"{name}{one}") for one in (1, 2, 4)], [])
    requirements = counted(seq, entries)
    place = min(first, len(requirements))
    found = requirements.first_open(state.members.get, place)
    assert place <= found <= len(requirements)
    for at in range(place, found):
        assert judge(state, requirements[at], message) is Verdict.MET


def test_what_is_skipped_is_never_passed_over() -> None:
    state = memory(GroupPolicy("none"))
    receive_carefully(state, [say("a1"), say("b1")], [])
    state.members["a#1"].skip(2, 2)
    assert counted(2, [("a#1", 3)]).first_open(state.members.get, 0) == 1
