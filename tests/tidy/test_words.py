"""Law: nothing unfinished, no registry by its host name, no path of one machine."""

from __future__ import annotations

import pytest

from tests.tidy.repository import SourceFile, must_be_none, repository, written_files
from tests.tidy.words import (
    MACHINE_PATHS,
    REGISTRIES,
    REGISTRY_HOSTS,
    UNFINISHED,
    found_words,
)

SLASH = "/"


def test_nothing_is_left_unfinished() -> None:
    files = written_files(repository())
    assert found_words(files, UNFINISHED, "finish it or open an issue") == []


def test_no_registry_is_named_by_its_host() -> None:
    """Where packages come from is the site's own choice: mirrors, proxies, closed networks."""
    must_be_none(found_words(repository(), REGISTRIES, "let the tool's own settings say where"))


def test_no_path_of_one_machine_is_written_down() -> None:
    files = written_files(repository())
    assert found_words(files, MACHINE_PATHS, "use a relative or a temporary path") == []


@pytest.mark.parametrize("word", ["FIX" + "ME", "TO" + "DO", "XX" + "X"])
def test_a_planted_word_is_found_with_its_line(word: str) -> None:
    found = found_words([SourceFile("a.py", f"x = 1\n# {word}: later")], UNFINISHED, "finish")
    assert found == [f"a.py:2: {word}; finish"]


def test_a_word_inside_another_is_let_be() -> None:
    text = f"{'TO' + 'DO'}S mas{'XX' + 'X'}"
    assert found_words([SourceFile("a.py", text)], UNFINISHED, "") == []


@pytest.mark.parametrize("host", REGISTRY_HOSTS)
def test_a_planted_registry_is_found(host: str) -> None:
    file = SourceFile("a.xml", f"<ibiblio root='https://repo1.{host}/maven2'/>")
    assert len(found_words([file], REGISTRIES, "")) == 1


@pytest.mark.parametrize("folder", ["work", "root", "home/anna", "Users/anna"])
@pytest.mark.parametrize("text", ["cd {}", 'p = "{}/x"', "see {}.", "A={}/b", "({}/c)", "{}"])
def test_a_planted_machine_path_is_found(folder: str, text: str) -> None:
    file = SourceFile("a.md", text.format(SLASH + folder))
    assert len(found_words([file], MACHINE_PATHS, "")) == 1


@pytest.mark.parametrize(
    "text", ["docs{}", "./x{}", "$(VENV){}", "~{}", "http://host{}", "{}-load", "{}s"]
)
def test_a_part_of_another_path_is_let_be(text: str) -> None:
    file = SourceFile("a.md", text.format(SLASH + "work"))
    assert found_words([file], MACHINE_PATHS, "") == []
