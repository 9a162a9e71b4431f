"""What can go wrong with the job.

JobError
├── CheckpointError    the operator's: a checkpoint that belongs to another job or partition count
├── StorageError       the operator's: no room, or no right, to write the checkpoint or the tables
├── BrokerError        the operator's: the broker cannot be reached, or a topic is missing
└── QueryError         ours: a query stopped for a reason that is none of the above
"""

from __future__ import annotations

from collections.abc import Iterator


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
    for phrases, error in _KNOWN:
        if any(phrase in text for phrase in phrases):
            return error
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    first = lines[0] if lines else "no reason given"
    return QueryError(f"the job stopped: {first[:300]} (the log has the rest)")


def _words(error: BaseException) -> Iterator[str]:
    """What an exception says and what it was caused by, in Python and in the JVM."""
    maybe_error: BaseException | None = error
    for _ in range(_LONGEST_CHAIN):
        if maybe_error is None:
            return
        yield str(maybe_error)
        yield str(getattr(maybe_error, "_stackTrace", ""))
        maybe_error = getattr(maybe_error, "_cause", None) or maybe_error.__cause__


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
        (
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
