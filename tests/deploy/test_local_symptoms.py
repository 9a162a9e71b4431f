"""Laws of reading a log: a known cause is one sentence, an unknown one is not explained away."""

from pathlib import Path

import pytest

from deploy.errors import BrokerFailedError, DirectoryUnfitError, PortBusyError
from deploy.local.symptoms import SYMPTOMS, diagnose, without_frames


def diagnosed(*lines: str) -> Exception:
    return diagnose(lines, directory=Path("/data"), ports=(9092, 9093), otherwise="it ended")


def test_a_full_disk_is_named_with_its_directory() -> None:
    error = diagnosed("java.io.IOException: No space left on device", "\tat kafka.Thing")
    assert isinstance(error, DirectoryUnfitError)
    assert "/data is full" in str(error)


def test_a_port_that_was_taken_in_the_meantime_is_a_busy_port() -> None:
    error = diagnosed("java.net.BindException: Address already in use")
    assert isinstance(error, PortBusyError)
    assert "9092 or 9093" in str(error)


def test_a_second_broker_in_one_directory_is_told_so() -> None:
    error = diagnosed("KafkaException: Failed to acquire lock on file .lock in /data")
    assert isinstance(error, DirectoryUnfitError)
    assert "Another broker runs in /data" in str(error)


def test_an_end_that_nothing_explains_is_shown_as_it_is() -> None:
    error = diagnosed("INFO all is well")
    assert isinstance(error, BrokerFailedError)
    assert str(error) == "it ended"


@pytest.mark.parametrize("words", [symptom.words for symptom in SYMPTOMS])
def test_every_advice_is_one_line_without_places_left_to_fill(words: str) -> None:
    message = str(diagnosed(words))
    assert "\n" not in message
    assert "{" not in message


def test_the_frames_of_a_trace_are_left_out() -> None:
    lines = ["Caused by: it", "\tat org.example.Thing", "\t... 16 more", "the end"]
    assert without_frames(lines) == ["Caused by: it", "the end"]
