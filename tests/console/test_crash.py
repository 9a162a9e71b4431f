"""Laws of the crash report."""

from __future__ import annotations

from pathlib import Path

import pytest

from console.crash import write_crash_report


def raised(secret: str) -> ValueError:
    """An error with a stack, from a function whose variable holds a secret."""
    try:
        raise ValueError(f"{len(secret)} is wrong")
    except ValueError as error:
        return error


def test_a_report_has_the_stack_and_the_command_line(tmp_path: Path) -> None:
    report = write_crash_report(
        raised("abc"), arguments=["run", "--seconds", "3"], version="1.2", folder=tmp_path / "new"
    )
    assert report is not None
    text = report.read_text(encoding="utf-8")
    assert "precede 1.2" in text
    assert "precede run --seconds 3" in text
    assert "ValueError: 3 is wrong" in text
    assert "in raised" in text


def test_a_report_never_has_the_values_of_variables(tmp_path: Path) -> None:
    report = write_crash_report(raised("hunter2"), arguments=[], version="1", folder=tmp_path)
    assert report is not None
    assert "hunter2" not in report.read_text(encoding="utf-8")


def test_a_report_never_has_a_secret_that_somebody_typed(tmp_path: Path) -> None:
    arguments = ["--set", "kafka.password=hunter2", "--set", "kafka.partitions=4"]
    report = write_crash_report(raised("x"), arguments=arguments, version="1", folder=tmp_path)
    assert report is not None
    text = report.read_text(encoding="utf-8")
    assert "kafka.password=**********" in text
    assert "kafka.partitions=4" in text
    assert "hunter2" not in text


def test_a_report_goes_elsewhere_if_the_folder_cannot_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("in the way", encoding="utf-8")
    monkeypatch.setattr("tempfile.gettempdir", lambda: str(tmp_path / "temporary"))
    report = write_crash_report(
        raised("x"), arguments=[], version="1", folder=tmp_path / "file" / "crashes"
    )
    assert report is not None
    assert report.parent == tmp_path / "temporary"


def test_without_a_place_to_write_there_is_no_report_and_no_second_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("in the way", encoding="utf-8")
    monkeypatch.setattr("tempfile.gettempdir", lambda: str(tmp_path / "file"))
    folder = tmp_path / "file" / "crashes"
    assert write_crash_report(raised("x"), arguments=[], version="1", folder=folder) is None
