"""Law: files and functions are short."""

from __future__ import annotations

from tests.tidy.lengths import (
    LONGER_FILES,
    LONGER_FUNCTIONS,
    MOST_FILE_LINES,
    MOST_FUNCTION_LINES,
    Longer,
    file_lengths,
    function_lengths,
    too_long,
)
from tests.tidy.repository import SourceFile, must_be_none, python_files, repository

PROGRAM = """\
class Box:
    def open(self) -> None:
        def inner() -> None:
            pass
        inner()

if True:
    async def later() -> None:
        pass
"""


def test_every_file_is_short() -> None:
    lengths = file_lengths(python_files(repository()))
    must_be_none(too_long(lengths, LONGER_FILES, MOST_FILE_LINES))


def test_every_function_is_short() -> None:
    lengths = function_lengths(python_files(repository()))
    must_be_none(too_long(lengths, LONGER_FUNCTIONS, MOST_FUNCTION_LINES))


def test_every_exception_has_its_reason() -> None:
    for name, exception in {**LONGER_FILES, **LONGER_FUNCTIONS}.items():
        assert len(exception.reason.split()) >= 3, name


def test_functions_are_measured_wherever_they_are() -> None:
    assert function_lengths([SourceFile("x.py", PROGRAM)]) == {
        "x.py:Box.open": 4,
        "x.py:Box.open.inner": 2,
        "x.py:later": 2,
    }


def test_what_is_too_long_is_found() -> None:
    (found,) = too_long({"a": 11, "b": 10}, {}, 10)
    assert found == "a has 11 lines, more than 10; make it two ideas"


def test_an_exception_allows_no_growth() -> None:
    exception = {"a": Longer(12, "for a reason")}
    assert too_long({"a": 12}, exception, 10) == []
    assert "more than 12" in too_long({"a": 13}, exception, 10)[0]


def test_an_exception_that_is_not_needed_any_more_must_go() -> None:
    exception = {"a": Longer(12, "for a reason")}
    assert "remove its exception" in too_long({"a": 10}, exception, 10)[0]
    assert "remove its exception" in too_long({}, exception, 10)[0]


def test_an_exception_shrinks_with_what_it_allows() -> None:
    assert "lower its exception" in too_long({"a": 11}, {"a": Longer(12, "why")}, 10)[0]
