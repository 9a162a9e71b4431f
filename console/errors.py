"""What can go wrong at the command line, and the exit code that each way out has.

    Exception
    ├── ours        anything that is not marked: a crash report, `ExitCode.CRASH`
    └── operator's  OperatorError
        ├── ConfigurationError    the configuration cannot be used      (4)
        ├── CannotConnectError    a broker or another service is away   (3)
        └── UsageError            flags that do not fit together        (2)

The convention for rooms
------------------------
A room may not import `console`, so the command line recognises an operator's error by two
attributes and not by its class. An exception of any room that carries

    is_operator_error = True        # a person outside the program can mend it
    exit_code = 3                   # an int, one of `ExitCode`

ends in its message (one sentence that shows both numbers and says what to do) on standard error and
in that exit code, never in a stack trace. Set both as class attributes in the room's `errors.py`:

    class BrokerAwayError(StreamingError):
        is_operator_error = True
        exit_code = 3

Everything else is our fault: `console.command` writes a crash report and says where it is.
"""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple


class ExitCode(IntEnum):
    """Every exit code of `precede`; scripts rely on them, so a number never changes its meaning."""

    OK = 0
    CHECK_FAILED = 1
    USAGE = 2
    CANNOT_CONNECT = 3
    CONFIGURATION = 4
    CRASH = 70
    INTERRUPTED = 130


class OperatorError(Exception):
    """A person outside the program can mend it; raised by commands, printed by `main`."""

    is_operator_error = True

    def __init__(self, message: str, exit_code: int = ExitCode.CHECK_FAILED) -> None:
        super().__init__(message)
        self.message = message
        self.exit_code = int(exit_code)


class ConfigurationError(OperatorError):
    """The configuration cannot be used; carries every problem found, not only the first."""

    def __init__(self, problems: tuple[str, ...]) -> None:
        self.problems = problems
        super().__init__("\n".join(problems), ExitCode.CONFIGURATION)


class CannotConnectError(OperatorError):
    """A broker or another service does not answer; the message names it and what to try."""

    def __init__(self, message: str) -> None:
        super().__init__(message, ExitCode.CANNOT_CONNECT)


class UsageError(OperatorError):
    """Flags that are each fine and do not fit together."""

    def __init__(self, message: str) -> None:
        super().__init__(message, ExitCode.USAGE)


class OperatorFailure(NamedTuple):
    """What is said and returned for an operator's error."""

    message: str
    exit_code: int


def describe(error: BaseException) -> OperatorFailure | None:
    """Recognise an operator's error of any room; None says that the fault is ours."""
    exit_code = getattr(error, "exit_code", None)
    if getattr(error, "is_operator_error", False) is not True or not isinstance(exit_code, int):
        return None
    return OperatorFailure(message=str(error) or type(error).__name__, exit_code=int(exit_code))
