"""What can be wrong with keys, by whose fault it is.

    the operator's    KeysError     a key file that is missing, open to others, damaged, or has no
                                    key for what is asked

Its message names the file and says what to do, and never shows a byte of a key.
"""

from ingest.wire.errors import EXIT_CONFIGURATION


class KeysError(Exception):
    """Keys that can't be used; the message is one sentence for an operator."""

    is_operator_error = True
    exit_code = EXIT_CONFIGURATION
