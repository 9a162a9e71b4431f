"""One text from Spark's workers to the driver: the first of those that they had to tell.

A task that runs twice may tell twice, which is why only the first counts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.accumulators import Accumulator
    from pyspark.sql import SparkSession


def first_text(session: SparkSession) -> Accumulator[str]:
    """Give a place for the text; `add` fills it in the workers, `value` has it in the driver."""
    from pyspark.accumulators import AccumulatorParam

    class First(AccumulatorParam[str]):
        """Keeps the first text that is not empty."""

        def zero(self, value: str) -> str:
            return value

        def addInPlace(self, value1: str, value2: str) -> str:  # noqa: N802 - Spark's name
            return value1 or value2

    place: Any = session.sparkContext.accumulator("", First())
    return place  # type: ignore[no-any-return]
