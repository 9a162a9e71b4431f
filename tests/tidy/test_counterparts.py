"""Law: every module has its test module."""

from __future__ import annotations

from tests.tidy import counterparts
from tests.tidy.counterparts import without_counterpart
from tests.tidy.repository import SourceFile, must_be_none, repository


def files(*paths: str) -> list[SourceFile]:
    return [SourceFile(path, "") for path in paths]


def test_every_module_has_its_test_module() -> None:
    must_be_none(without_counterpart(repository()))


def test_a_module_of_a_part_of_a_room_is_tested_under_both_names() -> None:
    assert counterparts.test_path_of("ordering/engine.py") == "tests/ordering/test_engine.py"
    assert counterparts.test_path_of("a/b/c/d.py") == "tests/a/test_b_c_d.py"


def test_a_planted_module_without_laws_is_found() -> None:
    planted = files("sinks/x.py", "sinks/y.py", "tests/sinks/test_y.py")
    assert without_counterpart(planted, {}) == [
        "sinks/x.py has no laws; write tests/sinks/test_x.py"
    ]


def test_packages_entry_points_and_errors_need_none() -> None:
    planted = files("sinks/__init__.py", "deploy/__main__.py", "sinks/errors.py", "docs/x.py")
    assert without_counterpart(planted, {}) == []


def test_an_exception_that_is_not_needed_any_more_must_go() -> None:
    planted = files("sinks/y.py", "tests/sinks/test_y.py")
    assert len(without_counterpart(planted, {"sinks/y.py": "why"})) == 1
    assert len(without_counterpart(planted, {"sinks/gone.py": "why"})) == 1


def test_an_exception_counts() -> None:
    assert without_counterpart(files("sinks/x.py"), {"sinks/x.py": "why"}) == []
