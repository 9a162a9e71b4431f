"""The job's state as it stood at the end of its last batch, for those who go on from it elsewhere.

Reads the ordering query's checkpoint with Spark's own reader of state, which sees whole batches and
nothing else, whether the job runs or not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ordering_udfs.shard_state import decode_state
from streaming.settings import JobSettings

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ORDERING = "ordering"
"""The ordering query's folder in the checkpoint."""


def job_states(session: SparkSession, settings: JobSettings) -> dict[int, bytes]:
    """Give the state of each raw partition that has one, as `sinks.state_files` writes it."""
    location = f"{settings.checkpoint_directory.rstrip('/')}/{ORDERING}"
    states = session.read.format("statestore").load(location)
    encoded = [bytes(row[0]) for row in states.selectExpr("value.groupState.state").collect()]
    return {decode_state(state).partition: state for state in encoded}
