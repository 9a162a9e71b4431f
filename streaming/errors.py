"""What can go wrong with the job.

JobError
├── CheckpointError    the operator's: a checkpoint that belongs to another job or partition count
├── StorageError       the operator's: no room, or no right, to write the checkpoint or the tables
├── TableError         the operator's: a file of a table is gone
├── BrokerError        the operator's: the broker cannot be reached, or a topic is missing
└── QueryError         ours: a query stopped for a reason that is none of the above
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from sinks.errors import DestinationError


class JobError(Exception):
    """Anything this room raises; the text is one sentence that says what to do."""

    is_operator_error = True
    exit_code = 1


class CheckpointError(JobError):
    """Going on from this checkpoint would give wrong results, so the job refuses."""

    exit_code = 4


class StorageError(JobError):
    """The checkpoint or a table cannot be written."""

    exit_code = 3


class TableError(JobError):
    """A table is not whole any more; the log can make it anew."""

    exit_code = 4


class BrokerError(JobError):
    """The broker does not answer, or lacks a topic."""

    exit_code = 3


class QueryError(JobError):
    """A query stopped; the log has the whole story."""


def classify(error: BaseException) -> JobError:
    """The error that an operator should see for what Spark raised.

    Spark reports everything as one kind of exception around its cause, so the words of the whole
    chain decide.
    """
    if isinstance(error, JobError):
        return error
    text = "\n".join(_words(error))
    maybe_missing = _missing_table_file(text)
    if maybe_missing is not None:
        return maybe_missing
    for phrases, error in _KNOWN:
        if any(phrase in text for phrase in phrases):
            return error
    return QueryError(
        f"the job stopped: {_reason(text)[:300]} (spark.log in job.scratch_directory has the rest)"
    )


@contextmanager
def spark_classified() -> Iterator[None]:
    """Turn what Spark raises into the sentence that an operator needs; all else stays as it is."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    try:
        yield
    except (Py4JError, PySparkException) as error:
        raise classify(error) from error


@contextmanager
def broker_classified() -> Iterator[None]:
    """Turn what our own clients say of a broker into the job's error; all else stays as it is."""
    try:
        yield
    except DestinationError as error:
        raise BrokerError(str(error)) from error


def _reason(text: str) -> str:
    """The line that says most: of a Python worker's traceback the last one, else the first."""
    maybe_traceback = _TRACEBACK.search(text)
    if maybe_traceback is not None:
        return maybe_traceback["last"].strip()
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[0] if lines else "no reason given"


def _missing_table_file(text: str) -> TableError | None:
    """The error for a file that a table's log names and that is not there, if it is about one."""
    maybe_file = _TABLE_FILE.search(text)
    is_missing = any(word in text for word in _NOT_THERE) and "Permission denied" not in text
    if maybe_file is None or not is_missing:
        return None
    return TableError(
        f"a file of the table {maybe_file['table']} is gone ({maybe_file['file']}): put it back "
        "from a copy, or rebuild the tables from the log (docs/operations/runbook.md says how); "
        "the ordered topic is whole"
    )


def _words(error: BaseException) -> Iterator[str]:
    """What an exception says and what it was caused by, in Python and in the JVM."""
    maybe_error: BaseException | None = error
    for _ in range(_LONGEST_CHAIN):
        if maybe_error is None:
            return
        yield str(maybe_error)
        yield str(getattr(maybe_error, "_stackTrace", ""))
        maybe_error = getattr(maybe_error, "_cause", None) or maybe_error.__cause__


_TRACEBACK = re.compile(r"Traceback \(most recent call last\):\n(?:[ \t]+.*\n)+(?P<last>\S.*)")
_TABLE_FILE = re.compile(r"(?P<table>[\w.-]+)/(?P<file>part-[\w.-]+\.parquet)")
_NOT_THERE = ("FILE_NOT_EXIST", "DELTA_FILE_NOT_FOUND", "FileNotFoundException", "No such file")

# A chain of causes is short; one that is not must not keep the job from ending.
_LONGEST_CHAIN = 20

_KNOWN: tuple[tuple[tuple[str, ...], JobError], ...] = (
    (
        ("No space left on device", "Disk quota exceeded"),
        StorageError(
            "the disk that holds the checkpoint or the tables is full: free some room and start "
            "the same command again; nothing captured is lost"
        ),
    ),
    (
        ("Permission denied", "AccessControlException", "Read-only file system"),
        StorageError(
            "the checkpoint or the tables cannot be written: give this user the right to write "
            "there, or choose another folder with job.checkpoint_directory and "
            "job.tables_directory"
        ),
    ),
    (
        ("OutOfMemoryError", "GC overhead limit exceeded"),
        StorageError(
            "the job has too little memory: raise job.driver_memory (on a cluster "
            "job.executor_memory) and start the same command again; nothing captured is lost. The "
            "batch that failed is done again as it was planned; those behind it are smaller with a "
            "lower job.max_messages_per_batch"
        ),
    ),
    (
        ("is larger than its topic takes",),
        BrokerError(
            "a record is larger than its topic takes: give every topic but the raw one a "
            "max.message.bytes that is 64 KiB above the raw topic's, then start the same command "
            "again; nothing captured is lost"
        ),
    ),
    (
        (
            "no broker answers at",
            "does the broker still answer?",
            "has no leader",
            "kafka.common.errors.TimeoutException",
            "No resolvable bootstrap urls",
            "UnknownTopicOrPartitionException",
            "Failed to construct kafka consumer",
            "Connection to node",
        ),
        BrokerError(
            "the broker does not answer, or a topic is missing: see that it runs at "
            "kafka.bootstrap, then start the same command again; nothing captured is lost"
        ),
    ),
    (
        ("was the raw topic deleted", "data loss", "offset was changed from"),
        CheckpointError(
            "the raw topic is not the one that this checkpoint was made from (deleted and made "
            "anew, or expired before it was read): start with a new job.checkpoint_directory and "
            "job.tables_directory"
        ),
    ),
    (
        ("the saved state",),
        CheckpointError(
            "the saved state cannot be read by this release: run the release that wrote it, or "
            "start with a new job.checkpoint_directory and replay the log"
        ),
    ),
)
