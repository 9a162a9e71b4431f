"""What can go wrong in an evaluation, split by whose fault it is.

EvaluationError
└── OperatorFaultError            the person who ran the command can mend it
    ├── UnknownEvaluationError    a name that is not in the registry
    ├── MissingDataError          a directory without any messages
    └── MissingChatError          messages, but none of them chat
"""

from __future__ import annotations

from pathlib import Path


class EvaluationError(Exception):
    """The root: everything that this package raises on purpose."""


class OperatorFaultError(EvaluationError):
    """The command was given something that it can't use; the message says what to give instead."""

    is_operator_error = True
    exit_code = 2


class UnknownEvaluationError(OperatorFaultError):
    """No evaluation has that name."""

    def __init__(self, name: str, *, known: tuple[str, ...]) -> None:
        super().__init__(f"no evaluation is called {name!r}: choose from {', '.join(known)}")


class MissingDataError(OperatorFaultError):
    """The directory has none of the files that the evaluation reads."""

    def __init__(self, directory: Path) -> None:
        super().__init__(
            f"{directory} has no *.jsonl or *.jsonl.gz file: name a directory with "
            "--data-directory, or leave the option out to use the shipped excerpt"
        )


class MissingChatError(OperatorFaultError):
    """Messages were found, but none that people wrote; only those can be given any delay."""

    def __init__(self, directory: Path, *, found: tuple[str, ...]) -> None:
        super().__init__(
            f"{directory} has {len(found)} sets ({', '.join(found)}) and none of them is chat: add "
            "one whose `data` is text, or leave --data-directory out"
        )
