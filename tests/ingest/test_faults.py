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
    assert set(out) <= set(_numbered(count))
    if faults.loss_is is Loss.RESENT:
        assert set(out) == set(_numbered(count))


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
