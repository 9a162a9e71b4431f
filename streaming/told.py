"""What Spark's workers tell the driver of a batch, beside the rows that they make.

A task that runs twice tells twice, the same; so what is told is put together in such a way that it
does not matter.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from pyspark.accumulators import Accumulator
    from pyspark.sql import SparkSession


class Told(NamedTuple):
    """What was told so far."""

    last: Mapping[int, int]
    """the greatest ordinal that was seen of each raw partition"""
    holes: tuple[str, ...]
    """sentences about ordinals that nobody has"""
    problem: str
    """the first that is odd about a record"""

    def put_to(self, more: Told) -> Told:
        """Put two together."""
        partitions = {**self.last, **more.last}
        last = {one: max(self.last.get(one, 0), more.last.get(one, 0)) for one in partitions}
        holes = tuple(dict.fromkeys((*self.holes, *more.holes)))
        return Told(last, holes, self.problem or more.problem)


def told_by_workers(session: SparkSession) -> Accumulator[Told]:
    """Give a place for it; `add` fills it in the workers, `value` has it in the driver."""
    from pyspark.accumulators import AccumulatorParam

    class PutTogether(AccumulatorParam[Told]):
        """How Spark puts together what several workers tell."""

        def zero(self, value: Told) -> Told:
            return value

        def addInPlace(self, value1: Told, value2: Told) -> Told:  # noqa: N802 - Spark's name
            return value1.put_to(value2)

    place: Any = session.sparkContext.accumulator(Told({}, (), ""), PutTogether())
    return place  # type: ignore[no-any-return]
