from hypothesis import given
from hypothesis import strategies as st

from ingest.wire.holdings import Holding
from members.limits import MemberLimits
from members.store import Store
from ordering import runs as run
from ordering.values import MemberId, MessageId

ALICE, BOB, MALLORY = MemberId("alice#1"), MemberId("bob#1"), MemberId("mallory#1")


def store_of(*ids: tuple[MemberId, int], **bounds: int) -> Store:
    store = Store(MemberLimits(**bounds))
    for sender, seq in ids:
        store.add(MessageId(sender, seq), f"{sender}:{seq}".encode(), ())
    return store


IDS = st.lists(st.tuples(st.sampled_from([ALICE, BOB]), st.integers(1, 30)), unique=True)


@given(IDS, st.sets(st.integers(1, 30)))
def test_what_somebody_lacks_is_all_but_what_it_has_in_the_order_of_coming(
    ids: list[tuple[MemberId, int]], has: set[int]
) -> None:
    store = store_of(*ids)
    have = [Holding(ALICE, tuple(run.from_numbers(has)))]
    expected = [MessageId(*one) for one in ids if not (one[0] == ALICE and one[1] in has)]
    assert store.beyond(have, is_whole=True) == expected
    partly = [one for one in expected if one.sender == ALICE]
    assert store.beyond(have, is_whole=False) == partly


def test_beyond_a_list_that_is_not_open_nothing_is_said() -> None:
    store = store_of(*((ALICE, seq) for seq in range(1, 10)))
    cut = [Holding(ALICE, (1, 2, 4, 5), is_open=False)]
    assert [one.seq for one in store.beyond(cut, is_whole=True)] == [3]
    nothing = [Holding(ALICE, (), is_open=False)]
    assert store.beyond(nothing, is_whole=True) == []


def test_a_wish_for_the_whole_number_line_gives_only_what_is_there() -> None:
    store = store_of((ALICE, 7), (ALICE, 3))
    assert [one.seq for one in store.among([(ALICE, [1, 2**62])])] == [7, 3]
    assert store.among([(BOB, [1, 2**62])]) == []


def test_the_last_ones_are_those_that_came_last() -> None:
    store = store_of((ALICE, 3), (BOB, 1), (ALICE, 1))
    assert store.last(2) == [MessageId(BOB, 1), MessageId(ALICE, 1)]
    assert store.last(0) == []


def test_a_thread_is_a_message_what_it_answers_and_all_that_answers_it() -> None:
    store = Store(MemberLimits())
    one, two, three, four, other = (MessageId(ALICE, seq) for seq in range(1, 6))
    store.add(four, b"4", (three,))  # a child may come before its parent
    store.add(one, b"1", ())
    store.add(two, b"2", (one,))
    store.add(three, b"3", (two,))
    store.add(other, b"5", ())
    assert store.thread(two) == [four, one, two, three]
    assert store.thread(MessageId(BOB, 9)) == []


def test_a_full_store_forgets_the_oldest_of_whoever_has_the_most() -> None:
    flood = [(MALLORY, seq) for seq in range(1, 200)]
    store = store_of((ALICE, 1), (BOB, 1), *flood, (BOB, 2), store_messages=20)
    assert store.count == 20
    assert store.evicted == 182
    for kept in ((ALICE, 1), (BOB, 1), (BOB, 2), (MALLORY, 199)):
        assert store.get(MessageId(*kept)) is not None
    assert store.get(MessageId(MALLORY, 1)) is None


def test_the_bound_in_bytes_holds_too() -> None:
    store = store_of(*((ALICE, seq) for seq in range(100, 200)), store_bytes=110)
    assert store.bytes <= 110
    assert store.count == 10
