"""Which jars a session needs to be given."""

from __future__ import annotations

from pathlib import Path


def jars_for(spark_master: str) -> list[Path]:
    """Spark on this machine gets the project's own jars; a cluster brings its own.

    On a cluster `spark-submit --packages` (or the image) has Delta, and the job needs no more;
    Spark's own connector to Kafka is for what the benchmarks compare it with.
    """
    if not spark_master.startswith("local"):
        return []
    from deploy.local.jars import spark_jars
    from deploy.local.place import state_directory

    return spark_jars(state_directory())
