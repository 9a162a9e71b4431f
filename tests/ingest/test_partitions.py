from hypothesis import given
from hypothesis import strategies as st

from ingest.partitions import Partitions

TIMES = st.lists(st.integers(0, 10_000), min_size=1).map(sorted)


@given(st.integers(), TIMES)
def test_the_same_seed_cuts_at_the_same_times(seed: int, times: list[int]) -> None:
    one, other = (Partitions(seed=seed, every_us=100, for_us=50) for _ in range(2))
    assert [one.cut_until(now) for now in times] == [other.cut_until(now) for now in times]


@given(st.integers(), TIMES)
def test_how_often_one_asks_changes_nothing(seed: int, times: list[int]) -> None:
    seldom, often = (Partitions(seed=seed, every_us=100, for_us=50) for _ in range(2))
    first = times[0]
    seldom.cut_until(first)
    answers = {now: often.cut_until(now) for now in range(first, times[-1] + 1)}
    assert [seldom.cut_until(now) for now in times] == [answers[now] for now in times]


def test_a_cut_says_when_it_ends_and_ends_then() -> None:
    partitions = Partitions(seed=1, every_us=1_000, for_us=1_000)
    cuts = {partitions.cut_until(now) for now in range(20_000)} - {None}
    assert len(cuts) > 5
    again = Partitions(seed=1, every_us=1_000, for_us=1_000)
    again.cut_until(0)
    for end in sorted(cut for cut in cuts if cut is not None and cut < 20_000):
        assert again.cut_until(end - 1) == end
        assert again.cut_until(end) is None


def test_without_a_length_the_network_is_never_cut() -> None:
    partitions = Partitions(seed=1, every_us=0, for_us=0)
    assert all(partitions.cut_until(now) is None for now in range(1_000))
