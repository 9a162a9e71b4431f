"""Python workers that serve one query alone.

Spark hands out whatever idle worker came back first, and all queries share them. A worker of the
ordering query keeps the groups of its last batch at hand (`ordering_udfs.warm_shards`), which is in
vain if the next task that it gets is another query's. Workers with other variables in their
environment are other workers to Spark.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

VARIABLE = "PRECEDE_QUERY"


@contextmanager
def own_workers(session: SparkSession, query: str) -> Iterator[None]:
    """Give the functions that are handed to Spark in here workers of their own."""
    environment = session.sparkContext.environment
    environment[VARIABLE] = query
    try:
        yield
    finally:
        del environment[VARIABLE]
