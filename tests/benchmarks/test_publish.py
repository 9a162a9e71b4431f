import pytest

from benchmarks.publish import Options, Turn, _faults, measure, quantile

SMALL = Options(messages=2_000, turns=1, latency_rate=2_000, latency_messages=500)


@pytest.mark.broker
def test_both_ways_publish_everything_and_packing_needs_fewer_records() -> None:
    measured = measure(SMALL)
    assert measured.faults == ()
    figures = measured.figures
    assert figures["one_per_record_records"] == SMALL.messages
    assert figures["packed_records"] < SMALL.messages / 10
    assert figures["ratio_packed_to_one_per_record"] > 0


def test_a_turn_that_loses_a_message_is_a_fault() -> None:
    good, bad = Turn(10, 1.0, 10, 1), Turn(10, 1.0, 9, 1)
    delays = {"packed": [1.0] * 400}
    assert list(_faults(SMALL, {"packed": [good]}, delays)) == []
    assert len(list(_faults(SMALL, {"packed": [good, bad]}, delays))) == 1
    assert len(list(_faults(SMALL, {"packed": [good]}, {"packed": []}))) == 1


def test_aquantile_is_one_of_the_values() -> None:
    assert quantile([3.0, 1.0, 2.0], 0.5) == 2.0
    assert quantile([3.0, 1.0, 2.0], 0.99) == 3.0
