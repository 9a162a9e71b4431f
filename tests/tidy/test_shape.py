"""Law: a module says by its name and its first words what it is for."""

from __future__ import annotations

import pytest

from tests.tidy.repository import SourceFile, must_be_none, python_files, repository, room_files
from tests.tidy.shape import empty_names, undrawn_errors, without_docstring

TREE = '"""Tree.\n\n    RoomError\n    └── OperatorTrouble\n"""\n'


def test_every_name_says_an_idea() -> None:
    must_be_none(empty_names(python_files(repository())))


def test_every_module_says_what_it_is_for() -> None:
    must_be_none(without_docstring(room_files(repository())))


def test_every_error_is_in_the_tree_of_its_room() -> None:
    must_be_none(undrawn_errors(room_files(repository())))


@pytest.mark.parametrize(
    "path", ["sinks/utils.py", "sinks/topic_helpers.py", "sinks/common/a.py", "group_manager.py"]
)
def test_a_planted_empty_name_is_found(path: str) -> None:
    assert len(empty_names([SourceFile(path, "")])) == 1


@pytest.mark.parametrize("path", ["sinks/commonly.py", "management.py", "sinks/utility_cost.py"])
def test_a_name_that_only_looks_alike_is_let_be(path: str) -> None:
    assert empty_names([SourceFile(path, "")]) == []


def test_a_planted_module_without_words_is_found() -> None:
    assert len(without_docstring([SourceFile("a.py", "x = 1")])) == 1
    assert without_docstring([SourceFile("a/__init__.py", "")]) == []


def test_a_planted_error_outside_the_tree_is_found() -> None:
    text = TREE + "class RoomError(Exception): ...\nclass NewError(RoomError): ...\n"
    assert undrawn_errors([SourceFile("a/errors.py", text)]) == [
        "a/errors.py:7: NewError is missing in the tree on top"
    ]


def test_a_planted_operators_error_without_its_mark_is_found() -> None:
    unmarked = TREE + "class RoomError(Exception): ...\nclass OperatorTrouble(RoomError): ...\n"
    marked = unmarked.replace("RoomError): ...", "RoomError):\n    is_operator_error = True")
    (found,) = undrawn_errors([SourceFile("a/errors.py", unmarked)])
    assert found.endswith("OperatorTrouble needs is_operator_error = True and an exit_code")
    inherited = unmarked.replace("Exception): ...", "Exception):\n    is_operator_error = True")
    assert undrawn_errors([SourceFile("a/errors.py", marked)]) == []
    assert undrawn_errors([SourceFile("a/errors.py", inherited)]) == []
