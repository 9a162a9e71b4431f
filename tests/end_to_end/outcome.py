"""What a run came to in the end, by the oracle and by `verify`, which share no line."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from console.verification_sources import verify_sources
from deploy.local.child import Child
from sinks.errors import DestinationError
from sinks.settings import KafkaSettings
from tests.topic_tools import delivered_order, expected_order

DRAINED_WITHIN_SECONDS = 900.0
LOOK_EVERY_SECONDS = 1.0


class Outcome(NamedTuple):
    """The four counts that must be 0, and how much there was."""

    lost: int
    duplicated: int
    out_of_order: int
    unseen: int
    delivered: int = 0

    @property
    def ok(self) -> bool:
        """Is nothing wrong?"""
        return not (self.lost or self.duplicated or self.out_of_order or self.unseen)


def compare(
    expected: Mapping[str, Sequence[bytes]], delivered: Mapping[str, Sequence[bytes]]
) -> Outcome:
    """Count how the deliveries of all groups differ from the oracle's."""
    lost = duplicated = out_of_order = 0
    for group in expected.keys() | delivered.keys():
        wanted, came = list(expected.get(group, ())), list(delivered.get(group, ()))
        lost += (Counter(wanted) - Counter(came)).total()
        twice = (Counter(came) - Counter(wanted)).total()
        duplicated += twice
        if sorted(wanted) == sorted(came):
            out_of_order += sum(one != other for one, other in zip(wanted, came, strict=True))
    return Outcome(lost, duplicated, out_of_order, 0, sum(map(len, delivered.values())))


def outcome_of(kafka: KafkaSettings, tables: str) -> Outcome:
    """Compare topic and tables with the raw topic, by the oracle and by `verify`."""
    counted = compare(expected_order(kafka), delivered_order(kafka))
    anomalies = verify_sources(kafka, tables).anomalies
    return Outcome(
        counted.lost + anomalies["lost"],
        counted.duplicated + anomalies["duplicated"] + anomalies["payload_mismatch"],
        counted.out_of_order + anomalies["out_of_order"],
        anomalies["unseen"],
        counted.delivered,
    )


def wait_until_drained(kafka: KafkaSettings, tables: str, driver: Child) -> None:
    """Wait until the job has looked at all that was captured, and the tables have it."""
    deadline = time.monotonic() + DRAINED_WITHIN_SECONDS
    while True:
        driver.require_running()
        try:
            report = verify_sources(kafka, tables)
        except DestinationError:
            pass  # the tables are made after the first deliveries
        else:
            if not report.counts["behind"] and not report.anomalies["unseen"]:
                return
        assert time.monotonic() < deadline, f"not drained: {driver.last_lines(40)}"
        time.sleep(LOOK_EVERY_SECONDS)
