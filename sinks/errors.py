"""What can go wrong with tables and topics.

SinkError
├── RecordError         the writer's fault: bytes in a topic that are no record of ours
└── DestinationError    the operator's: a topic or table that is missing or cannot be reached
"""

from __future__ import annotations


class SinkError(Exception):
    """Anything this room raises."""


class RecordError(SinkError):
    """The bytes are not a record of the topic that was asked for."""


class DestinationError(SinkError):
    """A topic or a table cannot be read or written; the message says what to do."""

    is_operator_error = True
    exit_code = 3
