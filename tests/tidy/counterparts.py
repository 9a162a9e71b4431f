"""Every module has its test module: `room/sub/name.py` has `tests/room/test_sub_name.py`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from tests.tidy.repository import ROOMS, SourceFile

WITHOUT_TESTS = ("__init__.py", "__main__.py", "errors.py")

TESTED_ELSEWHERE: Mapping[str, str] = {}
"""Path -> the reason why its laws stand in another test module."""


def test_path_of(path: str) -> str:
    """Where the laws of a module stand."""
    room, *rest = path.removesuffix(".py").split("/")
    return f"tests/{room}/test_{'_'.join(rest)}.py"


def without_counterpart(
    files: Iterable[SourceFile], elsewhere: Mapping[str, str] = TESTED_ELSEWHERE
) -> list[str]:
    """Modules without a test module, and exceptions that are not needed any more."""
    all_files = list(files)
    paths = {file.path for file in all_files}
    modules = {
        file.path
        for file in all_files
        if file.is_python and file.room in ROOMS and file.name not in WITHOUT_TESTS
    }
    found = [
        f"{path} has no laws; write {test_path_of(path)}"
        for path in sorted(modules)
        if test_path_of(path) not in paths and path not in elsewhere
    ]
    found += [
        f"{path} needs no exception any more; remove it"
        for path in elsewhere
        if path not in modules or test_path_of(path) in paths
    ]
    return found
