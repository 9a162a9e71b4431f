"""Named places at which the job kills itself when a test asks for it.

`PRECEDE_CRASH_AT=name:n` ends the job with SIGKILL at the n-th passing of the point (n counts from
1), as a power cut would: the driver and its JVM die in the same moment. Without that variable a
point costs one look into a dictionary.

The Python workers inherit the variable. `in-python-worker` ends the whole job from there, and
`python-worker-alone` only the worker, as a machine that is short of memory does.
"""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import NamedTuple

from sinks.batch_writing import Column
from sinks.record_batches import RawPiece
from sinks.shards import Place
from sinks.worker_broker import WorkerBroker

VARIABLE = "PRECEDE_CRASH_AT"
DRIVER_VARIABLE = "PRECEDE_CRASH_DRIVER"
"""The process id of the driver, for its workers."""


class CrashPoint(StrEnum):
    """Every place where a crash leaves something half done."""

    IN_PYTHON_WORKER = "in-python-worker"
    PYTHON_WORKER_ALONE = "python-worker-alone"
    AFTER_DELIVERIES_COMMIT = "after-deliveries-commit"
    AFTER_DELTA_COMMIT = "after-delta-commit"


_passed: dict[CrashPoint, int] = {}


def pass_crash_point(point: CrashPoint) -> None:
    """Called by the job at `point`; does not return if a test planted a crash here."""
    maybe_planted = os.environ.get(VARIABLE)
    if maybe_planted is None:
        return
    name, _, turn = maybe_planted.partition(":")
    _passed[point] = _passed.get(point, 0) + 1
    if name == point and _passed[point] == int(turn or 1):
        if point is not CrashPoint.PYTHON_WORKER_ALONE:
            _kill_driver(int(os.environ.get(DRIVER_VARIABLE, os.getpid())))
        os.kill(os.getpid(), signal.SIGKILL)


def remember_driver() -> None:
    """Called by the driver before it starts anything that inherits its environment."""
    if VARIABLE in os.environ:
        os.environ[DRIVER_VARIABLE] = str(os.getpid())


def crashing(broker: WorkerBroker) -> WorkerBroker | CrashingBroker:
    """Give the worker's function its points: when a part of what it writes is in a topic.

    Without a planted crash it is the broker itself.
    """
    return CrashingBroker(broker) if VARIABLE in os.environ else broker


class CrashingBroker(NamedTuple):
    """A broker that may kill when half of what is ordered is written, and the rest is not."""

    broker: WorkerBroker

    def read(self, place: Place, *, start: int, end: int) -> Iterator[RawPiece]:
        """As ever."""
        return self.broker.read(place, start=start, end=end)

    def write(
        self,
        topic: str,
        partition: int,
        keys: Sequence[bytes],
        values: Column,
        headers: Column | None = None,
    ) -> None:
        """As ever; of what is ordered write one half, pass the points, write the other."""
        if not keys or topic != self.broker.kafka.topics.ordered:
            self.broker.write(topic, partition, keys, values, headers)
            return
        half = len(keys) // 2
        for here in (slice(half), slice(half, None)):
            maybe_headers = None if headers is None else headers[here]
            self.broker.write(topic, partition, keys[here], values[here], maybe_headers)
            if here.stop is not None:
                pass_crash_point(CrashPoint.IN_PYTHON_WORKER)
                pass_crash_point(CrashPoint.PYTHON_WORKER_ALONE)


def _kill_driver(driver: int) -> None:
    """End the driver and all that it started, if it leads a group of its own; else it alone."""
    with contextlib.suppress(ProcessLookupError):
        if os.getpgid(driver) == driver:
            os.killpg(driver, signal.SIGKILL)
        os.kill(driver, signal.SIGKILL)
