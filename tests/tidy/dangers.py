"""Ways to run what came from outside: none of them is imported or called anywhere."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from tests.tidy.imports import imports_of
from tests.tidy.repository import SourceFile, parsed

DANGEROUS_MODULES = frozenset(
    {"pickle", "_pickle", "cPickle", "cloudpickle", "dill", "jsonpickle", "marshal", "shelve"}
)
DANGEROUS_CALLS = frozenset({"eval", "exec", "compile", "__import__"})
DANGEROUS_METHODS = frozenset({("os", "system"), ("os", "popen"), ("yaml", "load")})


def dangers(files: Iterable[SourceFile]) -> list[str]:
    """Every import and call that would run or rebuild what bytes say."""
    found = []
    for file in files:
        for item in imports_of(file):
            if DANGEROUS_MODULES & set(item.target.split(".")):
                found.append(f"{file.path}:{item.line}: imports {item.target}; decode by a schema")
        found += [
            f"{file.path}:{line}: calls {name}; nothing from outside is ever run"
            for line, name in _calls(parsed(file))
        ]
    return found


def _calls(tree: ast.Module) -> Iterator[tuple[int, str]]:
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        function = node.func
        if isinstance(function, ast.Name) and function.id in DANGEROUS_CALLS:
            yield node.lineno, function.id
        if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name):
            owner, name = function.value.id, function.attr
            is_builtin = owner == "builtins" and name in DANGEROUS_CALLS
            if is_builtin or (owner, name) in DANGEROUS_METHODS:
                yield node.lineno, f"{owner}.{name}"
