"""What can go wrong at the edge, by whose fault it is.

    the sender's      ingest.wire.errors.WireError      counted and quarantined, never fatal
    the operator's    ingest.wire.errors.MulticastError an address or interface that can't be used
                      EdgeError
                      ├── BrokerAwayError               Kafka does not answer, or not any more
                      ├── TopicMissingError             the raw topic is not there
                      ├── SpoolError                    the spool's folder can't be used
                      │   ├── SpoolInUseError           by another agent at this moment
                      │   └── SpoolFormatError          written by another version of Precede
                      └── RelayError                    a relay that would feed itself
    ours              SpoolClosedError                  spooled after the end; never leaves the room

An operator's error carries `is_operator_error` and `exit_code`, by which the command line
recognises it, and its message is one sentence that says what to do.
"""

from typing import Final

from ingest.wire.errors import EXIT_CONFIGURATION

EXIT_CANNOT_CONNECT: Final = 3


class EdgeError(Exception):
    """The operator's: something around the agent is not as it must be."""

    is_operator_error = True
    exit_code = EXIT_CONFIGURATION


class BrokerAwayError(EdgeError):
    """Kafka does not answer, or takes no more messages."""

    exit_code = EXIT_CANNOT_CONNECT


class TopicMissingError(EdgeError):
    """The raw topic does not exist; the agent never creates it, as its partitions matter."""


class SpoolError(EdgeError):
    """The spool's folder can't be made, read or written."""


class SpoolInUseError(SpoolError):
    """Another agent has the folder; two in one would mix up their messages."""


class SpoolFormatError(SpoolError):
    """The folder holds segments in a format that this version does not read."""


class RelayError(EdgeError):
    """The relay can't be set up like this."""


class SpoolClosedError(Exception):
    """A capture thread had a message after the spool was closed; the thread ends."""
