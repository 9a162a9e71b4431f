import pytest

from benchmarks.capture_agent import GOALS, faults_of, measure

COUNTERS = {"received": 8, "kernel_drops": 2, "published": 5, "waiting": 3}


@pytest.mark.broker
def test_every_datagram_is_published_in_the_spool_or_counted_as_dropped() -> None:
    measured = measure(0.5, per_s=5_000)
    assert measured.faults == ()
    assert set(GOALS) <= set(measured.figures)
    assert measured.figures["agent_received"] > 0


@pytest.mark.parametrize(
    ("sent", "changed", "said"),
    [
        (10, {}, ()),
        (11, {}, ("received + kernel drops = 10, but sent 11",)),
        (10, {"published": 4}, ("published + waiting = 7, but received 8",)),
    ],
)
def test_what_nobody_accounts_for_is_a_fault(
    sent: int, changed: dict[str, int], said: tuple[str, ...]
) -> None:
    assert faults_of(COUNTERS | changed, sent=sent) == said
