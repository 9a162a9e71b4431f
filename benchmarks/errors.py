"""What can go wrong in a benchmark, by whose fault it is.

    BenchmarkError
    └── UnknownBenchmarkError     the operator's: a name that no benchmark has

A contestant that loses messages raises nothing: the result says so and is not ok.
"""

from __future__ import annotations


class BenchmarkError(Exception):
    """Anything that the benchmarks raise."""


class UnknownBenchmarkError(BenchmarkError):
    """Somebody asks for a benchmark that does not exist; the command line ends in this sentence."""

    is_operator_error = True
    exit_code = 2

    def __init__(self, name: str, *, known: tuple[str, ...]) -> None:
        self.name = name
        self.known = known
        super().__init__(f"there is no benchmark {name!r}: choose one of {', '.join(known)}")
