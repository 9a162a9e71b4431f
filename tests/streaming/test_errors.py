"""What Spark says becomes one sentence that says what to do."""

from __future__ import annotations

import pytest

from streaming.errors import (
    BrokerError,
    CheckpointError,
    JobError,
    QueryError,
    StorageError,
    classify,
)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("java.io.IOException: No space left on device\n\tat x", StorageError),
        ("java.io.FileNotFoundException: /x (Permission denied)", StorageError),
        ("org.apache.kafka.common.errors.TimeoutException: Timed out", BrokerError),
        ("partition 0 gives offset 3 again: was the raw topic deleted", CheckpointError),
        ("StateError: the saved state has format 9", CheckpointError),
        ("\n\n  java.lang.IllegalStateException: odd\n\tat y", QueryError),
        ("", QueryError),
    ],
)
def test_the_text_decides_whose_fault_it_is(text: str, kind: type[JobError]) -> None:
    error = classify(RuntimeError(text))
    assert type(error) is kind
    assert "\n" not in str(error)
    assert error.is_operator_error


def test_an_unknown_reason_is_quoted_in_its_first_line() -> None:
    assert "IllegalStateException: odd" in str(
        classify(RuntimeError("\n a.IllegalStateException: odd\n"))
    )


def test_the_cause_decides_however_deep_it_lies() -> None:
    error = RuntimeError("a query failed")
    error.__cause__ = ValueError("a task failed")
    error.__cause__.__cause__ = OSError("No space left on device")
    assert isinstance(classify(error), StorageError)


def test_our_own_error_stays_as_it_is() -> None:
    ours = CheckpointError("set it back")
    assert classify(ours) is ours
