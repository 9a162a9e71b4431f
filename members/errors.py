"""What can go wrong for a member, by whose fault it is.

    the operator's    ScriptError                        a script that can't be spoken
                      ingest.wire.errors.MulticastError  an address or interface that can't be used
    the sender's      ingest.wire.errors.WireError       bytes that are no envelope

An operator's error carries `is_operator_error` and `exit_code`, by which the command line
recognises it, and its message is one sentence that says what to do.
"""

from typing import Final

EXIT_CONFIGURATION: Final = 4


class ScriptError(Exception):
    """A script that can't be spoken; the message names the file and the line."""

    is_operator_error = True
    exit_code = EXIT_CONFIGURATION
