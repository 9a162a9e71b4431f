"""The benchmarks by name: what `precede bench NAME` runs.

A benchmark takes a place to tell its progress and gives what it measured. Its module is imported
when it is asked for, because some need what takes long to load.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final, TypeAlias

from benchmarks.errors import UnknownBenchmarkError
from benchmarks.figures import Measured
from benchmarks.timing import Say

Benchmark: TypeAlias = Callable[[Say], Measured]


def _engine(say: Say) -> Measured:
    from benchmarks.engine import measure

    return measure(say=say)


def _publish(say: Say) -> Measured:
    from benchmarks.publish import measure

    return measure(say=say)


def _packing(say: Say) -> Measured:
    from benchmarks.packing import measure

    return measure(say=say)


def _outage(say: Say) -> Measured:
    from benchmarks.outage import measure

    return measure(say=say)


def _authentication(say: Say) -> Measured:
    from benchmarks.authentication import measure

    return measure(say=say)


def _capture(say: Say) -> Measured:
    from benchmarks.capture import measure

    return measure(say=say)


def _shard(say: Say) -> Measured:
    from benchmarks.shard import measure

    return measure(say=say)


def _gap(say: Say) -> Measured:
    from benchmarks.gap import measure

    return measure(say=say)


def _job(say: Say) -> Measured:
    from benchmarks.job import measure

    return measure(say=say)


def _tables(say: Say) -> Measured:
    from benchmarks.tables import measure

    return measure(say=say)


def _latency(say: Say) -> Measured:
    from benchmarks.latency import measure

    return measure(say=say)


def _soak(say: Say, *, minutes: float = 30.0) -> Measured:
    from benchmarks.soak import measure

    return measure(say=say, minutes=minutes)


def _capacity(say: Say) -> Measured:
    from benchmarks.capacity import measure

    return measure(say=say)


def _agent(say: Say) -> Measured:
    from benchmarks.capture_agent import measure

    return measure(say=say)


def _members(say: Say) -> Measured:
    from benchmarks.members import measure

    return measure(say=say)


BENCHMARKS: Final[dict[str, Benchmark]] = {
    "engine": _engine,
    "publish": _publish,
    "packing": _packing,
    "outage": _outage,
    "authentication": _authentication,
    "capture": _capture,
    "agent": _agent,
    "shard": _shard,
    "gap": _gap,
    "job": _job,
    "tables": _tables,
    "latency": _latency,
    "soak": _soak,
    "capacity": _capacity,
    "members": _members,
}


def find_benchmark(name: str, *, maybe_minutes: float | None = None) -> Benchmark:
    """Give the benchmark of that name; raises `UnknownBenchmarkError` with the known names.

    Only the soak lasts as long as it is told; the others have their own time.
    """
    if name == "soak" and maybe_minutes is not None:
        return partial(_soak, minutes=maybe_minutes)
    try:
        return BENCHMARKS[name]
    except KeyError:
        raise UnknownBenchmarkError(name, known=tuple(BENCHMARKS)) from None
