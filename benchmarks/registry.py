"""The benchmarks by name: what `precede bench NAME` runs.

A benchmark takes a place to tell its progress and gives what it measured. Its module is imported
when it is asked for, because some need what takes long to load.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

from benchmarks.errors import UnknownBenchmarkError
from benchmarks.figures import Measured
from benchmarks.timing import Say

Benchmark: TypeAlias = Callable[[Say], Measured]


def _engine(say: Say) -> Measured:
    from benchmarks.engine import measure

    return measure(say=say)


BENCHMARKS: Final[dict[str, Benchmark]] = {
    "engine": _engine,
}


def find_benchmark(name: str) -> Benchmark:
    """Give the benchmark of that name; raises `UnknownBenchmarkError` with the known names."""
    try:
        return BENCHMARKS[name]
    except KeyError:
        raise UnknownBenchmarkError(name, known=tuple(BENCHMARKS)) from None
