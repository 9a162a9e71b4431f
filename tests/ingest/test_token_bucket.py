from hypothesis import given
from hypothesis import strategies as st

from ingest.token_bucket import TokenBucket

SECOND_US = 1_000_000


def test_a_full_bucket_lets_its_burst_pass_and_no_more() -> None:
    bucket = TokenBucket(per_second=2, burst=3)
    assert [bucket.take(now=0) for _ in range(5)] == [True, True, True, False, False]


def test_an_empty_bucket_fills_with_time_up_to_its_burst() -> None:
    bucket = TokenBucket(per_second=2, burst=3)
    while bucket.take(now=0):
        pass
    assert [bucket.take(now=SECOND_US // 2) for _ in range(2)] == [True, False]
    assert [bucket.take(now=100 * SECOND_US) for _ in range(4)] == [True, True, True, False]


def test_a_clock_that_goes_back_gives_nothing() -> None:
    bucket = TokenBucket(per_second=1, burst=1)
    assert bucket.take(now=10 * SECOND_US)
    assert not bucket.take(now=0)
    assert not bucket.take(now=0)


@given(
    st.integers(1, 100),
    st.integers(1, 50),
    st.lists(st.integers(0, SECOND_US), min_size=1, max_size=200),
)
def test_never_more_passes_than_the_burst_and_the_rate_allow(
    per_second: int, burst: int, steps_us: list[int]
) -> None:
    bucket = TokenBucket(per_second=per_second, burst=burst)
    now = passed = 0
    for step_us in steps_us:
        now += step_us
        passed += bucket.take(now=now)
    elapsed_us = now - steps_us[0]
    assert passed <= burst + elapsed_us * per_second / SECOND_US
