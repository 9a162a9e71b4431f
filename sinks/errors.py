"""What can go wrong with tables and topics.

SinkError
├── RecordError         the writer's fault: bytes in a topic that are no record of ours
├── LossError           the keeper's: records that were written are nowhere any more
├── TokenError          the operator's: a resume token that does not fit what it is used on
├── StateFileError      the keeper's: a copy of the job's state that is not what was written
├── OpenSecretError     the operator's: a password that others may read
├── ClosedError         the caller's: a consumer was asked after its end
└── DestinationError    the operator's: a topic or table that is missing or cannot be reached
"""

from __future__ import annotations


class SinkError(Exception):
    """Anything this room raises."""


class RecordError(SinkError):
    """The bytes are not a record of the topic that was asked for; the message says what is odd."""

    is_operator_error = True
    exit_code = 1


class DestinationError(SinkError):
    """A topic or a table cannot be read or written; the message says what to do."""

    is_operator_error = True
    exit_code = 3


class LossError(SinkError):
    """A consumer found numbers missing; it is raised once, and reading can go on behind them."""

    is_operator_error = True
    exit_code = 1

    def __init__(self, message: str, *, partition: int, first: int, last: int) -> None:
        super().__init__(message)
        self.partition = partition
        self.first = first
        self.last = last


class TokenError(SinkError):
    """A resume token is broken, or of another topic, version or choice of groups."""

    is_operator_error = True
    exit_code = 2


class StateFileError(SinkError):
    """A copy of the job's state is damaged."""

    is_operator_error = True
    exit_code = 3


class OpenSecretError(SinkError):
    """A file that holds a password is not closed to others; the message says how to close it."""

    is_operator_error = True
    exit_code = 4


class ClosedError(SinkError):
    """The consumer has been closed."""


def no_table(path: str) -> DestinationError:
    """The error for a folder in which there is no table."""
    return DestinationError(
        f"there is no Delta table at {path}: is job.tables_directory right, "
        "and has the job been started once?"
    )
