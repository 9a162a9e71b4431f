import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingest import faults as faults_module
from ingest.faults import Faults, FaultSchedule, Loss

CHANCES = st.floats(0, 1)


def _through(faults: Faults, datagrams: list[bytes], *, step_us: int = 10) -> list[bytes]:
    """Send datagrams through a schedule, one each `step_us`, then wait for the last."""
    schedule = FaultSchedule(faults)
    out: list[bytes] = []
    for number, datagram in enumerate(datagrams):
        now = number * step_us
        out += schedule.due(now=now)
        schedule.receive(datagram, now=now)
    while (maybe_deadline := schedule.next_deadline()) is not None:
        out += schedule.due(now=maybe_deadline)
    return out


def _numbered(count: int) -> list[bytes]:
    return [str(number).encode() for number in range(count)]


def any_faults() -> st.SearchStrategy[Faults]:
    return st.builds(
        Faults,
        seed=st.integers(0, 2**32),
        loss=CHANCES,
        duplication=CHANCES,
        jitter_us=st.integers(0, 1_000),
        resend_after_us=st.integers(0, 1_000),
        loss_is=st.sampled_from(Loss),
        corruption=CHANCES,
        delay_us=st.integers(0, 1_000),
        reorder=CHANCES,
        reorder_by_us=st.integers(0, 1_000),
        partition_every_us=st.integers(0, 200),
        partition_for_us=st.integers(0, 200),
    )


def test_a_network_without_faults_changes_nothing() -> None:
    assert _through(Faults(seed=1), _numbered(50)) == _numbered(50)


@given(any_faults(), st.integers(0, 60))
def test_the_same_seed_gives_the_same_fate(faults: Faults, count: int) -> None:
    assert _through(faults, _numbered(count)) == _through(faults, _numbered(count))


def test_another_seed_gives_another_fate() -> None:
    first, second = (
        Faults(seed=seed, loss=0.3, duplication=0.3, jitter_us=500, resend_after_us=300)
        for seed in (1, 2)
    )
    assert _through(first, _numbered(100)) != _through(second, _numbered(100))


@given(any_faults(), st.integers(0, 60))
def test_a_lost_datagram_is_sent_again_unless_it_is_lost_for_good(
    faults: Faults, count: int
) -> None:
    out = _through(faults, _numbered(count))
    if not faults.corruption:
        assert set(out) <= set(_numbered(count))
    if faults.loss_is is Loss.RESENT:
        assert set(out) >= set(_numbered(count))


def test_what_is_lost_for_good_never_comes() -> None:
    faults = Faults(seed=3, loss=0.5, loss_is=Loss.FOR_GOOD)
    schedule = FaultSchedule(faults)
    for datagram in _numbered(400):
        schedule.receive(datagram, now=0)
    assert len(schedule.due(now=0)) == 400 - schedule.counters.lost
    assert 100 < schedule.counters.lost < 300


def test_a_lost_datagram_comes_back_only_after_the_resend_time() -> None:
    schedule = FaultSchedule(Faults(seed=1, loss=1.0, resend_after_us=100))
    schedule.receive(b"x", now=1_000)
    assert schedule.next_deadline() == 1_000 + faults_module.MOST_RESENDS * 100
    assert schedule.due(now=1_000 + faults_module.MOST_RESENDS * 100 - 1) == []


def test_every_duplicate_is_the_same_bytes() -> None:
    out = _through(Faults(seed=1, duplication=1.0, jitter_us=100), _numbered(20))
    assert sorted(out) == sorted(_numbered(20) * 2)


def test_jitter_lets_neighbours_overtake_each_other_and_no_more_than_that() -> None:
    out = _through(Faults(seed=1, jitter_us=100), _numbered(200), step_us=10)
    places = [int(datagram) for datagram in out]
    assert places != sorted(places)
    assert max(abs(place - number) for number, place in enumerate(places)) <= 11


@given(any_faults(), st.integers(0, 60), st.integers(0, 2_000))
def test_the_counters_account_for_every_datagram(faults: Faults, count: int, now: int) -> None:
    schedule = FaultSchedule(faults)
    for datagram in _numbered(count):
        schedule.receive(datagram, now=0)
    schedule.due(now=now)
    counters = schedule.counters
    came = counters.received + counters.resent + counters.duplicated
    assert came == counters.forwarded + counters.lost + schedule.waiting


@given(any_faults(), st.integers(0, 60))
def test_the_end_sends_all_that_waits(faults: Faults, count: int) -> None:
    schedule = FaultSchedule(faults)
    for datagram in _numbered(count):
        schedule.receive(datagram, now=0)
    waiting = schedule.waiting
    assert len(schedule.rest()) == waiting
    assert schedule.waiting == 0
    assert schedule.next_deadline() is None


@settings(max_examples=20)
@given(st.integers(1, 40))
def test_past_the_bound_datagrams_go_out_early_and_none_is_lost(count: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(faults_module, "MOST_WAITING", 10)
        schedule = FaultSchedule(Faults(seed=1, jitter_us=1_000_000))
        out: list[bytes] = []
        for datagram in _numbered(count):
            schedule.receive(datagram, now=0)
            out += schedule.due(now=0)
            assert schedule.waiting <= 10
        assert schedule.counters.hurried <= len(out)
        assert sorted(out + schedule.rest()) == sorted(_numbered(count))


@pytest.mark.parametrize("wrong", [{"loss": 1.1}, {"duplication": -0.1}, {"jitter_us": -1}])
def test_a_network_that_can_not_be_is_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(ValueError, match=next(iter(wrong))):
        Faults(seed=1, **wrong)  # type: ignore[arg-type]


def test_a_delay_moves_everything_and_changes_no_places() -> None:
    schedule = FaultSchedule(Faults(seed=1, delay_us=500))
    for datagram in _numbered(5):
        schedule.receive(datagram, now=0)
    assert schedule.due(now=499) == []
    assert schedule.due(now=500) == _numbered(5)


def test_what_is_held_back_is_overtaken_by_those_behind_it() -> None:
    out = _through(Faults(seed=3, reorder=0.1, reorder_by_us=35), _numbered(200), step_us=10)
    places = [int(datagram) for datagram in out]
    moved = [number for place, number in enumerate(places) if place > number]
    assert 5 < len(moved) < 50
    assert sorted(places) == list(range(200))


def test_a_damaged_datagram_has_one_bit_turned_over_and_the_right_one_follows() -> None:
    sent = [bytes([number] * 40) for number in range(100)]
    schedule = FaultSchedule(Faults(seed=1, corruption=0.3, resend_after_us=100))
    for datagram in sent:
        schedule.receive(datagram, now=0)
    early, late = schedule.due(now=0), schedule.due(now=100)
    damaged = [(right, heard) for right, heard in zip(sent, early, strict=True) if right != heard]
    assert len(damaged) == schedule.counters.corrupted == len(late) > 10
    for right, heard in damaged:
        turned = int.from_bytes(right, "big") ^ int.from_bytes(heard, "big")
        assert turned.bit_count() == 1
    assert late == [right for right, _ in damaged]


def test_a_damaged_datagram_that_nobody_sends_again_is_all_that_comes() -> None:
    faults = Faults(seed=1, corruption=1.0, loss_is=Loss.FOR_GOOD)
    out = _through(faults, [b"x" * 10] * 20)
    assert len(out) == 20
    assert b"x" * 10 not in out


def test_nothing_passes_while_the_network_is_cut() -> None:
    faults = Faults(seed=4, partition_every_us=1_000, partition_for_us=1_000, loss_is=Loss.FOR_GOOD)
    out = _through(faults, _numbered(2_000), step_us=10)
    numbers = [int(datagram) for datagram in out]
    jumps = [later - number for number, later in itertools.pairwise(numbers)]
    cuts = [jump for jump in jumps if jump > 1]
    assert all(50 <= jump <= 151 for jump in cuts), "a cut takes half to one and a half of its time"
    assert 5 <= len(cuts) <= 20
    assert len(out) + sum(cuts) - len(cuts) >= 1_800


def test_what_met_a_cut_comes_when_it_is_over() -> None:
    faults = Faults(seed=4, partition_every_us=1_000, partition_for_us=1_000, resend_after_us=7)
    schedule = FaultSchedule(faults)
    out = _through(faults, _numbered(2_000), step_us=10)
    assert sorted(out) == sorted(_numbered(2_000))
    for number, datagram in enumerate(_numbered(2_000)):
        schedule.receive(datagram, now=number * 10)
    assert schedule.counters.cut_off == schedule.counters.lost > 500
