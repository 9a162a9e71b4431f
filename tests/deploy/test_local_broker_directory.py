"""Laws of the folder of a broker: one broker at a time, room enough, nothing of others removed."""

import shutil
from collections import namedtuple
from pathlib import Path

import pytest

from deploy.errors import DirectoryUnfitError
from deploy.local.broker_directory import BrokerDirectory

Usage = namedtuple("Usage", ["total", "used", "free"])


def formatted(directory: BrokerDirectory) -> None:
    (directory.data / "meta.properties").touch()


def test_a_folder_is_held_by_one_broker_at_a_time(tmp_path: Path) -> None:
    first = BrokerDirectory(tmp_path)
    with pytest.raises(DirectoryUnfitError, match=f"Another broker runs in {tmp_path}"):
        BrokerDirectory(tmp_path)
    first.release(keep=True)
    BrokerDirectory(tmp_path).release(keep=True)


def test_a_folder_of_our_own_is_removed_with_all_that_is_in_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PRECEDE_HOME", str(tmp_path))
    directory = BrokerDirectory(None)
    assert directory.path.parent == tmp_path / "brokers"
    formatted(directory)
    directory.release(keep=False)
    assert not directory.path.exists()


def test_in_the_folder_of_somebody_else_only_the_brokers_own_files_are_removed(
    tmp_path: Path,
) -> None:
    (tmp_path / "letter").touch()
    directory = BrokerDirectory(tmp_path)
    formatted(directory)
    directory.write_settings("a=b\n")
    directory.log_file.touch()
    directory.release(keep=False)
    assert [path.name for path in tmp_path.iterdir()] == ["letter"]


def test_data_that_was_there_before_is_never_removed(tmp_path: Path) -> None:
    first = BrokerDirectory(tmp_path)
    formatted(first)
    first.release(keep=True)
    BrokerDirectory(tmp_path).release(keep=False)
    assert (tmp_path / "data" / "meta.properties").exists()


def test_a_disk_without_room_is_refused_with_both_numbers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = Usage(total=10**9, used=10**9 - 3_000_000, free=3_000_000)
    monkeypatch.setattr(shutil, "disk_usage", lambda _path: usage)
    with pytest.raises(DirectoryUnfitError, match="has 3 MB free and the broker needs 64 MB"):
        BrokerDirectory(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(DirectoryUnfitError, match=f"cannot write in {tmp_path}/file/below"):
        BrokerDirectory(tmp_path / "file" / "below")


def test_a_state_directory_that_cannot_be_written_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("PRECEDE_HOME", str(tmp_path / "file"))
    with pytest.raises(DirectoryUnfitError, match=f"cannot write in {tmp_path}/file"):
        BrokerDirectory(None)


def test_settings_that_cannot_be_written_are_one_clear_error(tmp_path: Path) -> None:
    directory = BrokerDirectory(tmp_path)
    directory.settings_file.mkdir()
    with pytest.raises(DirectoryUnfitError, match="settings cannot be written"):
        directory.write_settings("a=b\n")


def test_what_a_killed_owner_left_is_swept_and_what_was_kept_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PRECEDE_HOME", str(tmp_path))
    kept, running = BrokerDirectory(None), BrokerDirectory(None)
    kept.release(keep=True)
    abandoned = tmp_path / "brokers" / "broker-abandoned"
    abandoned.mkdir()
    (abandoned / "in-use").touch()  # a lock that nobody holds any more
    latest = BrokerDirectory(None)
    assert not abandoned.exists()
    assert kept.path.exists()
    assert running.path.exists()
    for directory in (running, latest):
        directory.release(keep=False)
