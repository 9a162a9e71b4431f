"""How long a file and a function may be, and the few that may be longer for a while."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from tests.tidy.repository import SourceFile, parsed

MOST_FILE_LINES = 350
MOST_FUNCTION_LINES = 50


class Longer(NamedTuple):
    """An exception: how long it is at most, and why. The number may only become smaller."""

    lines: int
    reason: str


LONGER_FILES: Mapping[str, Longer] = {}
"""Path -> exception."""

LONGER_FUNCTIONS: Mapping[str, Longer] = {
    "ordering/receiving_by_parent.py:receive_by_parent": Longer(
        148, "the hot loop of the product: a call costs a tenth of what a whole message may cost"
    ),
    "ordering/receiving_by_count.py:receive_by_count": Longer(
        57, "the hot loop of fifo and causal groups, written out for the same reason"
    ),
}
"""`path:function` -> exception."""


def file_lengths(files: Iterable[SourceFile]) -> dict[str, int]:
    """Lines of each file."""
    return {file.path: len(file.text.splitlines()) for file in files}


def function_lengths(files: Iterable[SourceFile]) -> dict[str, int]:
    """Lines of each function from `def` to its end; a method is named `Class.method`."""
    lengths: dict[str, int] = {}
    for file in files:
        for name, node in _functions(parsed(file), prefix=""):
            end = node.lineno if node.end_lineno is None else node.end_lineno
            key = f"{file.path}:{name}"
            # An overload has the same name; the longest of them counts.
            lengths[key] = max(lengths.get(key, 0), end - node.lineno + 1)
    return lengths


def too_long(lengths: Mapping[str, int], longer: Mapping[str, Longer], most: int) -> list[str]:
    """What is longer than allowed, and every exception that is not needed or not tight any more."""
    found = []
    for name, lines in lengths.items():
        allowed = longer[name].lines if name in longer else most
        if lines > allowed:
            found.append(f"{name} has {lines} lines, more than {allowed}; make it two ideas")
    for name, exception in longer.items():
        lines = lengths.get(name, 0)
        if lines <= most:
            found.append(f"{name} has {lines} lines, at most {most}; remove its exception")
        elif lines < exception.lines:
            found.append(f"{name} has {lines} lines; lower its exception from {exception.lines}")
    return found


def _functions(
    node: ast.AST, *, prefix: str
) -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            yield f"{prefix}{child.name}", child
        inner = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        name = f"{prefix}{child.name}." if inner else prefix  # type: ignore[attr-defined]
        yield from _functions(child, prefix=name)
