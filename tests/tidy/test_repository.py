"""Laws of the reader that all the other laws rest on."""

from __future__ import annotations

from tests.tidy.repository import (
    ROOMS,
    ROOT,
    SourceFile,
    known_paths,
    python_files,
    repository,
    room_files,
    written_files,
)


def test_the_reader_finds_this_file() -> None:
    assert "tests/tidy/test_repository.py" in {file.path for file in repository()}


def test_every_room_is_a_folder_with_files() -> None:
    assert {file.room for file in room_files(repository())} == set(ROOMS)


def test_nothing_that_tools_made_is_read() -> None:
    for file in repository():
        assert not file.path.startswith((".venv/", ".precede/", "build/")), file.path
        assert "__pycache__" not in file.path


def test_folders_are_known_as_well_as_files() -> None:
    assert {"tests", "tests/tidy", "tests/tidy/test_repository.py"} <= known_paths()
    assert all((ROOT / path).exists() for path in known_paths())


def test_files_are_told_apart_by_what_they_are() -> None:
    files = tuple(
        SourceFile(path, "") for path in ("sinks/a.py", "tests/b.py", "LICENSE", "data/c.jsonl")
    )
    assert [file.path for file in python_files(files)] == ["sinks/a.py", "tests/b.py"]
    assert [file.path for file in room_files(files)] == ["sinks/a.py"]
    assert [file.path for file in written_files(files)] == ["sinks/a.py", "tests/b.py"]
