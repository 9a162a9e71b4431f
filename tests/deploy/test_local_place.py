"""Laws of where the local parts keep their files."""

from pathlib import Path

import pytest

from deploy.local import place


def test_the_state_directory_is_an_ignored_folder_of_the_project() -> None:
    found = place.state_directory({})
    project = found.parent
    assert found.name == ".precede"
    assert (project / "pyproject.toml").is_file()
    assert ".precede/" in (project / ".gitignore").read_text(encoding="utf-8").splitlines()


def test_the_environment_names_another_state_directory(tmp_path: Path) -> None:
    assert place.state_directory({"PRECEDE_HOME": str(tmp_path)}) == tmp_path


def test_a_relative_state_directory_does_not_move_with_the_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert place.state_directory({"PRECEDE_HOME": "here"}) == tmp_path / "here"


def test_a_package_away_from_its_project_uses_the_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(place, "_PACKAGE", tmp_path / "site-packages" / "deploy" / "local")
    monkeypatch.chdir(tmp_path)
    assert place.state_directory({}) == tmp_path / ".precede"
