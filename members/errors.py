"""What can go wrong for a member, by whose fault it is.

    the operator's    ScriptError                        a script that can't be spoken
                      IncarnationError                   a file of incarnations that can't be used
                      ingest.wire.errors.MulticastError  an address or interface that can't be used
    the program's     MemberError                        a call that can't be done
                      |-- UnknownGroupError              a group that is not known, or not joined
                      |-- UnknownMessageError            an answer to what was not delivered here
                      |-- TooLongError                   a message that no page could carry
                      `-- OutboxFullError                more than the flow condition lets out
    the sender's      ingest.wire.errors.WireError       bytes that are no envelope

An operator's error carries `is_operator_error` and `exit_code`, by which the command line
recognises it, and its message is one sentence that says what to do. What a peer sends never raises:
it is counted (`members.refusals`).
"""

from typing import Final

EXIT_CONFIGURATION: Final = 4


class ScriptError(Exception):
    """A script that can't be spoken; the message names the file and the line."""

    is_operator_error = True
    exit_code = EXIT_CONFIGURATION


class IncarnationError(Exception):
    """The file that counts a member's incarnations can't be read or written."""

    is_operator_error = True
    exit_code = EXIT_CONFIGURATION


class MemberError(Exception):
    """A call that a member can't do; nothing has happened."""


class UnknownGroupError(MemberError):
    """A group that is not known, or in which this member is not."""


class UnknownMessageError(MemberError):
    """An answer to a message that was not delivered here."""


class TooLongError(MemberError):
    """A message that would not fit into a page of an answer."""


class OutboxFullError(MemberError):
    """The others have not confirmed enough for more to be sent."""
