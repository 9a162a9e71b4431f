"""A browser is found where machines have one, else fetched, else its absence is told."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from deploy.local import browser


def test_a_browser_of_the_machine_comes_first(tmp_path: Path) -> None:
    def which(name: str) -> str | None:
        return f"/usr/bin/{name}" if name == "google-chrome" else None

    assert browser.find_browser(which=which, folders=[tmp_path]) == Path("/usr/bin/google-chrome")


def test_playwrights_own_is_found_in_its_folder_the_newest_first(tmp_path: Path) -> None:
    for number in (1100, 1200):
        program = tmp_path / f"chromium-{number}" / "chrome-linux" / "chrome"
        program.parent.mkdir(parents=True)
        program.touch()
    found = browser.find_browser(which=lambda _: None, folders=[tmp_path])
    assert found is not None
    assert "chromium-1200" in str(found)
    assert browser.find_browser(which=lambda _: None, folders=[tmp_path / "none"]) is None


def test_the_first_way_that_works_is_the_last_that_is_tried() -> None:
    tried: list[str] = []

    def run(command: Sequence[str], environment: Mapping[str, str]) -> bool:
        tried.append(" ".join(command))
        assert environment
        return True

    found = browser.fetch_browser(find=lambda: Path("/opt/chrome"), run=run, is_root=True)
    assert found == Path("/opt/chrome")
    assert len(tried) == 1
    assert tried[0].endswith("playwright install chromium")


def test_who_is_not_root_installs_no_package() -> None:
    tried: list[str] = []

    def run(command: Sequence[str], _: Mapping[str, str]) -> bool:
        tried.append(command[0])
        return False

    assert browser.fetch_browser(find=lambda: None, run=run, is_root=False) is None
    assert "apt-get" not in tried


def test_without_any_the_sentence_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(browser, "find_browser", lambda: None)
    monkeypatch.setattr(browser, "fetch_browser", lambda: None)
    assert browser.main() == 0
    assert "apt-get install chromium" in capsys.readouterr().out
