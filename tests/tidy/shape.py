"""The shape of a module: a name that says its idea, a docstring, and errors drawn as a tree."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping

from tests.tidy.repository import SourceFile, parsed

EMPTY_NAMES = re.compile(r"(^|_)(util|utils|helper|helpers|manager|common)(_|\.py$|$)")
"""Names that say where things were put, and not what they are."""


def empty_names(files: Iterable[SourceFile]) -> list[str]:
    """Modules and folders whose name says nothing."""
    return [
        f"{file.path}: {part} says nothing; name it for its idea"
        for file in files
        for part in file.path.split("/")
        if EMPTY_NAMES.search(part)
    ]


def without_docstring(files: Iterable[SourceFile]) -> list[str]:
    """Modules that do not say what they are for; an empty `__init__.py` needs no words."""
    return [
        f"{file.path}: begin with a docstring that says what this is for"
        for file in files
        if file.text.strip() and not ast.get_docstring(parsed(file))
    ]


def undrawn_errors(files: Iterable[SourceFile]) -> list[str]:
    """Errors that the tree on top of their `errors.py` does not show, or that nobody can end well.

    A class whose name begins with Operator is the branch of what an operator can mend; the command
    line recognises it by `is_operator_error`, its own or inherited (see `console.errors`).
    """
    found = []
    for file in files:
        if file.name != "errors.py":
            continue
        picture = ast.get_docstring(parsed(file)) or ""
        classes = {n.name: n for n in parsed(file).body if isinstance(n, ast.ClassDef)}
        for node in classes.values():
            place = f"{file.path}:{node.lineno}: {node.name}"
            if not _is_error(node, classes):
                continue
            if node.name not in picture:
                found.append(f"{place} is missing in the tree on top")
            if node.name.startswith("Operator") and not _is_marked(node, classes):
                found.append(f"{place} needs is_operator_error = True and an exit_code")
    return found


def _is_error(node: ast.ClassDef, classes: Mapping[str, ast.ClassDef]) -> bool:
    names = [_name(base) for base in node.bases]
    return any(
        name.endswith(("Error", "Exception"))
        or (name in classes and _is_error(classes[name], classes))
        for name in names
    )


def _is_marked(node: ast.ClassDef, classes: Mapping[str, ast.ClassDef]) -> bool:
    targets = [
        target
        for statement in node.body
        if isinstance(statement, ast.Assign)
        for target in statement.targets
    ] + [statement.target for statement in node.body if isinstance(statement, ast.AnnAssign)]
    if any(_name(target) == "is_operator_error" for target in targets):
        return True
    names = [_name(base) for base in node.bases]
    return any(name in classes and _is_marked(classes[name], classes) for name in names)


def _name(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")
