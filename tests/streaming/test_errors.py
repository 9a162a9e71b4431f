"""What Spark says becomes one sentence that says what to do."""

from __future__ import annotations

import pytest
from pyspark.errors import PySparkException

from streaming.errors import (
    BrokerError,
    CheckpointError,
    JobError,
    QueryError,
    StorageError,
    TableError,
    classify,
    spark_classified,
)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("java.io.IOException: No space left on device\n\tat x", StorageError),
        ("java.io.FileNotFoundException: /x (Permission denied)", StorageError),
        ("[FAILED_READ_FILE.FILE_NOT_EXIST] file:/t/waits/part-0-a.c000.parquet", TableError),
        ("FileNotFoundException: /t/waits/part-0.parquet (Permission denied)", StorageError),
        ("java.lang.OutOfMemoryError: Java heap space", StorageError),
        ("a record of 9 bytes is larger than its topic takes (p.waits)", BrokerError),
        ("DestinationError: no broker answers at a:9092 (kafka.bootstrap)", BrokerError),
        ("partition 0 of p.raw gives nothing: does the broker still answer?", BrokerError),
        ("the broker at a:9092 does not give p.raw: p.raw has no leader; is", BrokerError),
        ("org.apache.kafka.common.errors.TimeoutException: Timed out", BrokerError),
        ("partition 0 of p.raw has no offset 3: was the raw topic deleted", CheckpointError),
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


def test_a_missing_file_is_named_with_its_table() -> None:
    error = classify(RuntimeError("FileNotFoundException: file:/data/waits/part-7-x.parquet"))
    assert "table waits is gone (part-7-x.parquet)" in str(error)


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


def test_of_a_workers_traceback_the_last_line_is_told() -> None:
    text = (
        "[PYTHON_EXCEPTION] An exception was thrown from the Python worker: "
        "Traceback (most recent call last):\n"
        '  File "shard.py", line 37, in receive\n'
        "    raise ValueError(number)\n"
        "ValueError: 7 is no number\n"
        "\n\tat org.apache.spark.Runner\n"
    )
    assert "the job stopped: ValueError: 7 is no number (" in str(classify(RuntimeError(text)))


def test_what_spark_raises_becomes_a_sentence_and_all_else_stays_as_it_is() -> None:
    with pytest.raises(StorageError), spark_classified():
        raise PySparkException("No space left on device")
    with pytest.raises(KeyError), spark_classified():
        raise KeyError("ours")
