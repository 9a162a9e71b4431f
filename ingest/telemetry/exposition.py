"""Metrics: names with their meanings, and the text form that Prometheus reads.

A program has one `Exposition`: a table of metrics, each with a function that reads its value off
what the program measures of itself. The reference page is made from the same table.

    EXPOSITION = Exposition("precede_job_", (Metric("held", GAUGE, "Messages ...", read),))
    EXPOSITION.render(vitals)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import StrEnum
from itertools import accumulate
from typing import Any, Final, Generic, NamedTuple, TypeVar

CONTENT_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"

Vitals = TypeVar("Vitals")


class MetricKind(StrEnum):
    """A counter only grows while the program runs; a gauge goes both ways."""

    COUNTER = "counter"
    GAUGE = "gauge"
    HISTOGRAM = "histogram"


class Distribution:
    """How often a value fell below each of some bounds."""

    __slots__ = ("bounds", "counts", "total")

    def __init__(self, bounds: Sequence[float]) -> None:
        self.bounds = tuple(bounds)
        self.counts = [0] * (len(self.bounds) + 1)
        """the last one is of the values above all bounds"""
        self.total = 0.0

    def add(self, value: float) -> None:
        """Count one value."""
        place = 0
        for bound in self.bounds:
            if value <= bound:
                break
            place += 1
        self.counts[place] += 1
        self.total += value

    @property
    def count(self) -> int:
        """How many values there were."""
        return sum(self.counts)

    def quantile(self, share: float) -> float:
        """Give the bound below which this share of the values lies; 0 if there were none."""
        wanted = share * self.count
        for bound, reached in zip(self.bounds, accumulate(self.counts), strict=False):
            if reached >= wanted:
                return bound if self.count else 0.0
        return float("inf") if self.count else 0.0


Reading = float | Mapping[Any, float] | Mapping[Any, Distribution]
"""A mapping's keys are the value of the one label, or a tuple with the values of all."""


class Metric(NamedTuple, Generic[Vitals]):
    """One metric. What is read is a number, or numbers by the values of the labels."""

    name: str
    kind: MetricKind
    help: str
    read: Callable[[Vitals], Reading]
    labels: tuple[str, ...] = ()


class Exposition(Generic[Vitals]):
    """All metrics of one program, under one prefix."""

    def __init__(self, prefix: str, metrics: tuple[Metric[Vitals], ...]) -> None:
        self.prefix = prefix
        self.metrics = metrics

    def render(self, vitals: Vitals) -> str:
        """Write all metrics as Prometheus reads them."""
        lines: list[str] = []
        for metric in self.metrics:
            name = self.prefix + metric.name
            lines += [f"# HELP {name} {metric.help}", f"# TYPE {name} {metric.kind}"]
            lines += _lines(name, metric.labels, metric.read(vitals))
        return "\n".join(lines) + "\n"

    def table(self) -> str:
        """Every metric with its meaning, as a table for people."""
        head = "| metric | kind | labels | meaning |\n| --- | --- | --- | --- |\n"
        return head + "".join(
            f"| `{self.prefix}{metric.name}` | {metric.kind} | {', '.join(metric.labels)} |"
            f" {metric.help} |\n"
            for metric in self.metrics
        )


def _lines(name: str, labels: tuple[str, ...], reading: Reading) -> Iterator[str]:
    if not isinstance(reading, Mapping):
        yield f"{name} {_number(reading)}"
        return
    for values, value in sorted(reading.items()):
        pairs = list(zip(labels, (values,) if isinstance(values, str) else values, strict=True))
        if isinstance(value, Distribution):
            yield from _distribution(name, pairs, value)
        elif isinstance(value, int | float):
            yield f"{name}{_labelled(pairs)} {_number(value)}"


def _distribution(name: str, pairs: list[tuple[str, str]], value: Distribution) -> Iterator[str]:
    reached = list(accumulate(value.counts))
    for bound, count in zip([*map(_number, value.bounds), "+Inf"], reached, strict=True):
        yield f"{name}_bucket{_labelled([*pairs, ('le', bound)])} {count}"
    yield f"{name}_sum{_labelled(pairs)} {_number(value.total)}"
    yield f"{name}_count{_labelled(pairs)} {reached[-1]}"


def _labelled(pairs: list[tuple[str, str]]) -> str:
    inside = ",".join(f'{label}="{_escaped(value)}"' for label, value in pairs)
    return f"{{{inside}}}" if inside else ""


def _number(value: float) -> str:
    return str(int(value)) if value == int(value) else repr(float(value))


def _escaped(text: str) -> str:
    return text.replace("\\", r"\\").replace("\n", r"\n").replace('"', r"\"")
