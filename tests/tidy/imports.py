"""Who may import whom: the table of docs/ARCHITECTURE.md as data, and the reader that holds it.

A module belongs to the room with the longest name that fits: `ingest/wire/envelope.py` is of
`ingest.wire`, `ingest/capture.py` of `ingest`. An import inside a function counts like any other.
A room may always import itself and what is inside it. A row may name a room, or one module of it.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from tests.tidy.repository import SourceFile, parsed

ALL = ("ordering", "ingest.wire", "ingest.authentication", "ingest", "ordering_udfs", "sinks",
       "sinks.follower", "streaming", "members", "ingest.telemetry", "ingest.closed_file",
       "simulation", "deploy", "console", "benchmarks")  # fmt: skip

MAY_IMPORT: dict[str, tuple[str, ...]] = {
    "ordering": (),
    "ingest.wire": ("ordering",),
    "ingest.telemetry": (),
    "ingest.closed_file": (),
    "ingest.authentication": (
        "ordering",
        "ingest.wire",
        "ingest.closed_file",
        "ingest.token_bucket",
    ),
    "ingest": ("ordering", "sinks.settings", "sinks.kafka_client"),
    "ordering_udfs": (
        "ordering",
        "ingest.wire",
        "sinks.batch_writing",
        "sinks.cloud_events",
        "sinks.event_columns",
        "sinks.records",
        "sinks.membership",
        "sinks.shards",
        "sinks.topics",
        "sinks.identity",
        "sinks.waits",
    ),
    "sinks": ("ordering", "ingest.wire", "ingest.closed_file"),
    "sinks.follower": ("ordering_udfs", "sinks"),
    "streaming": ("ordering", "ordering_udfs", "ingest.wire", "sinks", "ingest.telemetry"),
    "members": (
        "ordering",
        "ingest.wire",
        "ingest.authentication",
        "sinks.settings",
        "sinks.kafka_client",
    ),
    "simulation": ("ordering", "members", "ingest.wire"),
    "deploy": (),
    "console": ALL,
    "benchmarks": ALL,
}

MAY_IMPORT_OF_OTHERS: dict[str, tuple[str, ...]] = {
    "ordering": (),
    "ingest.wire": ("msgspec",),
    "ingest.authentication": ("msgspec", "cryptography"),
}
"""Rooms that may use only these packages besides the standard library; the rest are free."""

IMPURE = frozenset(
    {"asyncio", "datetime", "io", "logging", "multiprocessing", "os", "pathlib", "random",
     "secrets", "shutil", "signal", "socket", "subprocess", "sys", "tempfile", "threading",
     "time", "uuid"}
)  # fmt: skip
"""The standard library's clocks, dice, files and threads: not in a room that only decides."""

PURE_ROOMS = ("ordering",)
WITHOUT_IMPORTS = ("ingest/__init__.py", "ordering/__init__.py")
"""Importing `ingest.wire` runs `ingest/__init__.py`, so what that imports, everybody would."""


class Import(NamedTuple):
    """One imported module, and where."""

    file: SourceFile
    line: int
    target: str
    """What is imported: a module, or a name of a module."""
    module: str
    """The module that the statement names, for people."""


def room_of(module: str) -> str | None:
    """The room of a module's dotted name; None for what is not ours."""
    fitting = [room for room in MAY_IMPORT if f"{module}.".startswith(f"{room}.")]
    return max(fitting, key=len, default=None)


def module_of(file: SourceFile) -> str:
    """The dotted name of a file: `ingest/wire/__init__.py` is `ingest.wire`."""
    return file.path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def imports_of(file: SourceFile) -> Iterator[Import]:
    """Every import statement, and every call that imports a module by a literal name."""
    for node in ast.walk(parsed(file)):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield Import(file, node.lineno, alias.name, alias.name)
        elif isinstance(node, ast.ImportFrom):
            base = _base_of(file, node)
            for alias in node.names:
                yield Import(file, node.lineno, f"{base}.{alias.name}".strip("."), base)
        elif isinstance(node, ast.Call) and _is_import_call(node):
            name = node.args[0]
            if isinstance(name, ast.Constant) and isinstance(name.value, str):
                yield Import(file, node.lineno, name.value, name.value)


def forbidden_imports(files: Iterable[SourceFile]) -> list[str]:
    """Imports of one room by another that the table does not allow."""
    found = []
    for file in files:
        room = room_of(module_of(file))
        if room is None:
            continue
        for item in imports_of(file):
            if not _is_allowed(item.target, room):
                allowed = ", ".join(MAY_IMPORT[room]) or "nothing of ours"
                found.append(_said(item, f"{room} may import {allowed}"))
    return list(dict.fromkeys(found))


def foreign_imports(files: Iterable[SourceFile]) -> list[str]:
    """Imports of packages of others by a room that may not use them."""
    found = []
    for file in files:
        room = room_of(module_of(file))
        if room is None or room not in MAY_IMPORT_OF_OTHERS:
            continue
        allowed = MAY_IMPORT_OF_OTHERS[room]
        for item in imports_of(file):
            top = item.target.split(".", 1)[0]
            is_free = top in sys.stdlib_module_names or room_of(item.target) is not None
            if not is_free and top not in allowed:
                words = " and ".join(("the standard library", *allowed))
                found.append(_said(item, f"{room} may use {words} only"))
    return found


def impure_imports(files: Iterable[SourceFile]) -> list[str]:
    """Clocks, dice and files in a room that only decides."""
    return [
        _said(item, f"{room_of(module_of(file))} has no clock, no random and no input or output")
        for file in files
        if room_of(module_of(file)) in PURE_ROOMS
        for item in imports_of(file)
        if item.target.split(".", 1)[0] in IMPURE
    ]


def heavy_packages(files: Iterable[SourceFile]) -> list[str]:
    """Imports in an `__init__.py` that has to stay light."""
    return [
        _said(item, f"{file.path} stays without imports, so that its parts can be imported alone")
        for file in files
        if file.path in WITHOUT_IMPORTS
        for item in imports_of(file)
        if item.target != "__future__.annotations"
    ]


def documented_table(page: str) -> dict[str, tuple[str, ...]]:
    """Read the table of docs/ARCHITECTURE.md: room, what lives there, what it may import."""
    words = {"nothing of ours": (), "all": ALL}
    table: dict[str, tuple[str, ...]] = {}
    for line in page.splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        room = cells[0].strip("`")
        if len(cells) == 3 and cells[0].startswith("`") and room in MAY_IMPORT:
            listed = tuple(part.strip(" `") for part in cells[2].split(","))
            table[room] = words.get(cells[2], listed)
    return table


def _is_allowed(target: str, room: str) -> bool:
    if target.split(".", 1)[0] == "tests":
        return False
    if room_of(target) is None:
        return True
    return any(f"{target}.".startswith(f"{name}.") for name in (room, *MAY_IMPORT[room]))


def _base_of(file: SourceFile, node: ast.ImportFrom) -> str:
    if node.level == 0:
        return node.module or ""
    package = module_of(file).split(".")
    if not file.path.endswith("/__init__.py"):
        package = package[:-1]
    base = package[: len(package) - node.level + 1]
    return ".".join([*base, node.module] if node.module else base)


def _is_import_call(node: ast.Call) -> bool:
    name = node.func.attr if isinstance(node.func, ast.Attribute) else None
    if isinstance(node.func, ast.Name):
        name = node.func.id
    return name in ("import_module", "__import__") and bool(node.args)


def _said(item: Import, rule: str) -> str:
    return f"{item.file.path}:{item.line}: imports {item.module}; {rule}"
