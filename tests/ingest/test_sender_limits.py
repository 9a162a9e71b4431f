"""A sender that sends too much is held back, and nobody else is."""

from hypothesis import given
from hypothesis import strategies as st

from ingest.sender_limits import OFF, SenderLimits

SECOND = 1_000_000
ALICE, BOB = ("g", "alice"), ("", "10.0.0.7")


def test_without_a_limit_everything_passes_and_nothing_is_kept() -> None:
    limits = SenderLimits(per_second=OFF)
    assert limits.is_off
    assert all(limits.allows(ALICE, now=0) for _ in range(10_000))
    assert not limits._buckets


def test_a_flood_by_one_sender_never_delays_another() -> None:
    limits = SenderLimits(per_second=10)
    passed = sum(limits.allows(ALICE, now=0) for _ in range(1_000))
    assert passed == 20
    assert sum(limits.allows(BOB, now=0) for _ in range(20)) == 20


def test_a_sender_within_its_rate_is_never_refused() -> None:
    limits = SenderLimits(per_second=10)
    assert all(limits.allows(ALICE, now=number * SECOND // 10) for number in range(1_000))


@given(st.lists(st.integers(0, 50), max_size=300))
def test_what_is_kept_is_bounded(names: list[int]) -> None:
    limits = SenderLimits(per_second=1, senders=5)
    for name in names:
        limits.allows(("g", str(name)), now=0)
    assert len(limits._buckets) <= 5


def test_the_longest_silent_makes_room() -> None:
    limits = SenderLimits(per_second=1, senders=2)
    for sender in (ALICE, BOB, ALICE, ALICE, ("g", "carol")):
        limits.allows(sender, now=0)
    assert list(limits._buckets) == [ALICE, ("g", "carol")]
    assert not limits.allows(ALICE, now=0)
