from hypothesis import given
from hypothesis import strategies as st

from ingest.wire.holdings import Holding
from members.holdings import Holdings
from members.limits import MemberLimits
from ordering import runs as run
from ordering.values import MemberId, MessageId

ALICE, BOB = MemberId("alice#1"), MemberId("bob#1")
SEQS = st.sets(st.integers(1, 25))


def holdings_of(*seqs: int, limits: MemberLimits | None = None) -> Holdings:
    holdings = Holdings(limits or MemberLimits())
    for seq in seqs:
        holdings.add(MessageId(ALICE, seq))
    return holdings


def told(*seqs: int) -> Holding:
    return Holding(ALICE, tuple(run.from_numbers(seqs)))


@given(SEQS, SEQS, st.integers(0, 25))
def test_what_is_lacking_is_what_exists_but_for_what_is_had_or_unwanted(
    had: set[int], heard: set[int], unwanted: int
) -> None:
    holdings = holdings_of(*had)
    if unwanted:
        holdings.settle([Holding(ALICE, (unwanted, unwanted))])
    lacking, has_room = holdings.hear([told(*heard)] if heard else [])
    exists = set(range(1, max(had, default=0) + 1)) | heard
    expected = {seq for seq in exists if seq not in had and seq > unwanted}
    assert has_room
    assert holdings.lacking_of(ALICE) == run.from_numbers(expected)
    assert holdings.lacking() == ({ALICE: run.from_numbers(expected)} if expected else {})
    assert (ALICE in lacking) == bool(heard and heard != had and expected)
    if holdings.is_whole(ALICE):
        assert not expected


@given(SEQS, SEQS)
def test_somebody_lacks_something_exactly_if_it_has_not_all_that_is_had(
    had: set[int], theirs: set[int]
) -> None:
    holdings = holdings_of(*had)
    assert holdings.has_more_than([told(*theirs)], is_whole=True) == bool(had - theirs)


def test_what_is_told_in_turn_names_everybody_in_the_end() -> None:
    holdings = Holdings(MemberLimits())
    for at in range(40):
        holdings.add(MessageId(MemberId(f"member-{at}#1"), 1))
    named: set[str] = set()
    for _ in range(40):
        written, is_whole = holdings.told(most_bytes=100)
        assert not is_whole
        named |= {one.member for one in written}
    assert len(named) == 40
    assert holdings.told(most_bytes=10_000)[1]


def test_members_that_a_partial_list_leaves_out_are_not_taken_for_unknown() -> None:
    holdings = holdings_of(1, 2)
    assert not holdings.has_more_than([], is_whole=False)
    assert holdings.has_more_than([], is_whole=True)


def test_made_up_words_of_others_are_bounded() -> None:
    limits = MemberLimits(members_per_group=2, heard_ends=4)
    holdings = holdings_of(limits=limits)
    for at in range(5):
        _, has_room = holdings.hear([Holding(f"nobody-{at}#1", (1, 1))])
        assert has_room == (at < 2)
    assert holdings.hear([Holding("nobody-0#1", (1, 1, 3, 3, 5, 5))]) == (["nobody-0#1"], False)
    assert holdings.lacking_of(MemberId("nobody-0#1")) == [1, 1]


def test_only_the_newest_incarnations_of_a_name_are_remembered() -> None:
    holdings = holdings_of(limits=MemberLimits(incarnations_per_name=2))
    for incarnation in (1, 2, 3):
        holdings.add(MessageId(MemberId(f"alice#{incarnation}"), 1))
    assert set(holdings.had) == {"alice#2", "alice#3"}
    assert holdings.is_retired(MemberId("alice#1"))
    assert holdings.hear([Holding("alice#1", (1, 5))]) == ([], True)
    assert holdings.lacking() == {}


def test_settling_all_wants_nothing_of_what_is_lacking_now() -> None:
    holdings = holdings_of(5)
    holdings.settle_all()
    assert holdings.lacking() == {}
    holdings.add(MessageId(ALICE, 7))
    assert holdings.lacking() == {ALICE: [6, 6]}


def test_what_is_wanted_is_lacking_whatever_else_is_not() -> None:
    holdings = holdings_of()
    holdings.want([told(3, 4)])
    holdings.settle([told(9)])
    holdings.hear([told(*range(1, 10))])
    holdings.settle_all()
    assert holdings.lacking() == {ALICE: [3, 4]}
