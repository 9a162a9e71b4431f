"""The Spark session of the job."""

from __future__ import annotations

import logging
import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from streaming.crash_points import remember_driver
from streaming.settings import JobSettings
from streaming.spark_options import LOG_FILE, session_options

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

APPLICATION_NAME = "precede"
STANDARD_ERROR = 2
# As often as on a cluster, where it is Spark's default.
MOST_TASK_TRIES = 4


def open_session(settings: JobSettings, *, jars: list[Path]) -> SparkSession:
    """Start the JVM, or join the one that `spark-submit` started.

    `jars` are the connector's and Delta's files (empty on a cluster that brings its own). Takes 4
    to 10 seconds.
    """
    from pyspark.sql import SparkSession

    remember_driver()
    if settings.spark_master.startswith("local"):
        os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    # The workers must run the interpreter that has our packages, whatever the PATH says. Where it
    # is on the machines of a cluster, its operator knows.
    if settings.spark_master.startswith("local") or "PYSPARK_PYTHON" not in os.environ:
        os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    Path(settings.scratch_directory).mkdir(parents=True, exist_ok=True)
    # The bridge to the JVM logs a lost connection with a stack trace; the job says what it means.
    logging.getLogger("py4j").setLevel(logging.CRITICAL)
    builder = SparkSession.builder.appName(APPLICATION_NAME).master(
        with_retries(settings.spark_master)
    )
    for name, value in session_options(settings, jars=jars).items():
        builder = builder.config(name, value)
    with _errors_into(Path(settings.scratch_directory) / LOG_FILE):
        session = builder.getOrCreate()
    session.sparkContext.setLogLevel(settings.log_level.value.upper())
    return session


def with_retries(master: str) -> str:
    """Let a task that fails be tried again on this machine too, as a cluster does.

    Without it a Python worker that the system ends (it is short of memory, say) ends the job.
    """
    maybe_cores = re.fullmatch(r"local\[(\d+|\*)\]", master)
    return f"local[{maybe_cores[1]},{MOST_TASK_TRIES}]" if maybe_cores else master


@contextmanager
def _errors_into(file: Path) -> Iterator[None]:
    """Let what is started meanwhile write its standard error into a file.

    The JVM and its Python workers inherit it for good, so that whatever they print stands beside
    Spark's log, and the terminal carries our own sentences.
    """
    sys.stderr.flush()
    ours = os.dup(STANDARD_ERROR)
    with file.open("ab") as log:
        os.dup2(log.fileno(), STANDARD_ERROR)
    try:
        yield
    finally:
        os.dup2(ours, STANDARD_ERROR)
        os.close(ours)
