"""Packing is measured from the spool to the ordered topic, and a message that is lost is told."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from benchmarks.packing import Options, Turn, measured_of, take_turn
from benchmarks.publish import WAYS
from deploy.local.broker import Broker

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SMALL = Options(warm_up_messages=100, latency_rate=500, latency_messages=100, rate_messages=300)


@pytest.mark.broker
@pytest.mark.spark
def test_every_message_of_a_turn_reaches_the_ordered_topic_and_has_a_delay(
    spark: SparkSession, broker: Broker, tmp_path: Path
) -> None:
    turn = take_turn(spark, broker, WAYS["packed"], SMALL, tmp_path / "packing-of-a-test")
    assert turn.sent == turn.arrived == 500
    assert len(turn.delays) == SMALL.latency_messages
    assert min(turn.delays) > 0
    assert turn.rate > 0


def test_the_figures_say_what_packing_gives_and_costs_and_a_loss_is_a_fault() -> None:
    slow, quick = Turn([10.0, 30.0], 100.0, 5, 5), Turn([20.0, 40.0], 150.0, 5, 5)
    measured = measured_of({"one_per_record": [slow], "packed": [quick]})
    assert measured.faults == ()
    assert measured.figures["ratio_packed_to_one_per_record_end_to_end"] == 1.5
    assert measured.figures["packing_adds_end_to_end_p50_ms"] == 10.0
    lossy = measured_of({"one_per_record": [slow], "packed": [quick._replace(arrived=4)]})
    assert lossy.faults == ("packed: 4 of 5 messages were delivered",)
