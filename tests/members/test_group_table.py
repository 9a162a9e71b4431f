from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from members.group_table import Group, GroupTable, Order, Standing
from members.limits import MemberLimits
from members.refusals import Refusal
from ordering.values import GroupId, MemberId

ORDER = Order("semantic", "causal")
Word = tuple[str, bool]
WORDS = st.lists(
    st.tuples(st.sampled_from(["alice#1", "alice#2", "bob#1", "bob#3"]), st.booleans()), max_size=6
)


def group_of(words: list[Word], *, limit: int = 10) -> Group:
    group = Group(GroupId("dev"), description="", order=ORDER)
    for pid, is_left in words:
        group.merge(MemberId(pid), is_left=is_left, limit=limit)
    return group


def members_of(group: Group) -> tuple[set[str], set[str]]:
    return set(group.current()), set(group.left())


@pytest.mark.parametrize(
    ("words", "current", "left"),
    [
        ([("alice#1", False)], {"alice#1"}, set()),
        ([("alice#1", False), ("alice#1", True)], set(), {"alice#1"}),
        ([("alice#1", True), ("alice#1", False)], set(), {"alice#1"}),
        ([("alice#1", True), ("alice#2", False)], {"alice#2"}, set()),
        ([("alice#2", False), ("alice#1", True)], {"alice#2"}, set()),
    ],
    ids=["in", "left", "old_news", "came_back", "old_leave"],
)
def test_the_higher_incarnation_wins_and_of_one_leaving_is_the_last_word(
    words: list[Word], current: set[str], left: set[str]
) -> None:
    assert members_of(group_of(words)) == (current, left)


@given(WORDS)
def test_any_order_and_any_repeats_of_the_same_words_give_the_same_table(words: list[Word]) -> None:
    expected = group_of(words)
    for shuffled in list(permutations(words))[:24]:
        again = group_of([*shuffled, *shuffled])
        assert members_of(again) == members_of(expected)
        assert again.digest() == expected.digest()


@given(WORDS, WORDS)
def test_different_tables_have_different_digests(one: list[Word], other: list[Word]) -> None:
    left, right = group_of(one), group_of(other)
    assert (members_of(left) == members_of(right)) == (left.digest() == right.digest())


def test_more_names_than_fit_are_refused() -> None:
    group = group_of([("alice#1", False)], limit=1)
    assert group.merge(MemberId("bob#1"), is_left=False, limit=1) is Refusal.MEMBERS_FULL
    assert group.merge(MemberId("alice#2"), is_left=False, limit=1) is True
    assert group.incarnation_of("alice") == 2
    assert group.incarnation_of("bob") == 0


def test_groups_beyond_the_bound_are_refused_and_joined_ones_do_not_count() -> None:
    table = GroupTable(MemberLimits(known_groups=1))
    joined = table.learn(GroupId("dev"), description="", order=ORDER)
    assert isinstance(joined, Group)
    joined.standing = Standing.JOINED
    assert isinstance(table.learn(GroupId("a"), description="", order=ORDER), Group)
    assert table.learn(GroupId("b"), description="", order=ORDER) is Refusal.GROUPS_FULL
    table.forget_the_rest()
    assert [group.group for group in table.groups.values()] == ["dev"]
    assert table.joined() == [joined]
