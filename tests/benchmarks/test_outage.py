"""The broker is taken away under load, with a reader attached throughout: a short run of each."""

from pathlib import Path

import pytest

from benchmarks.outage import Fault, Options, Outcome, Reader, measure, run_outage
from ingest.publish_settings import ONE_PER_RECORD
from sinks.settings import KafkaSettings

SHORT = Options(rate=3_000, before_s=1.0, away_s=2.5, after_s=1.0, groups=7)
GOOD = Outcome(10, 10, 0, 0, 1, 0.1, 1, 0.1, 0)


@pytest.mark.broker
@pytest.mark.kill
def test_a_broker_killed_frozen_and_stopped_under_load_costs_nothing_and_changes_no_order(
    tmp_path: Path,
) -> None:
    outcome = run_outage(SHORT._replace(faults=tuple(Fault)), tmp_path)
    assert outcome.faults() == ()
    assert outcome.sent > 0
    assert outcome.sessions == 1
    assert outcome.again == 0


@pytest.mark.broker
@pytest.mark.kill
def test_the_same_without_packing_and_the_figures_say_what_became_of_every_message() -> None:
    measured = measure(SHORT._replace(faults=(Fault.PAUSE,), pack_bytes=ONE_PER_RECORD))
    assert measured.faults == ()
    assert measured.figures["arrived_messages"] == measured.figures["sent_messages"]
    assert measured.figures["producer_sessions"] == 1


def test_what_may_not_be_is_a_fault_and_a_repeat_in_a_new_session_is_none() -> None:
    assert GOOD.faults() == ()
    assert GOOD._replace(again=3, sessions=2).faults() == ()
    assert len(GOOD._replace(again=3).faults()) == 1
    assert len(GOOD._replace(arrived=9).faults()) == 1
    assert len(GOOD._replace(early=1).faults()) == 1


def test_the_reader_tells_next_again_and_early_apart() -> None:
    reader = Reader(KafkaSettings())
    for content in (b"1 0 x", b"1 1 x", b"2 0 x", b"1 1 x", b"1 3 x"):
        reader._check(content)
    assert (reader.arrived, reader.again, reader.early) == (4, 1, 1)
