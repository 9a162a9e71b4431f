"""What was set, and where: the file with its lines, environment variables, flags.

Nothing is converted here and nothing is known about sections; a source only says "this name was
given this value, at this place". The loader decides.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from enum import StrEnum
from pathlib import Path
from typing import Any, NamedTuple

from console.configuration.lines import statement_lines
from console.configuration.options import VARIABLE_PREFIX
from console.errors import ConfigurationError

FILE_NAME = "precede.toml"
FILE_VARIABLE = "PRECEDE_CONFIG"
SET_FLAG = "--set"
MOST_FILE_BYTES = 100_000
"""A configuration is a page; a larger file is some other file given by mistake."""


class OriginKind(StrEnum):
    """The four places a value can come from, weakest first."""

    DEFAULT = "default"
    FILE = "file"
    ENVIRONMENT = "environment"
    FLAG = "flag"


class Origin(NamedTuple):
    """Where a value was given, in words that a person can go to: `precede.toml:12`."""

    kind: OriginKind
    text: str


DEFAULT_ORIGIN = Origin(OriginKind.DEFAULT, "default")


class Given(NamedTuple):
    """One value as it was written. `key` is empty when a whole section is not a table."""

    section: str
    key: str
    raw: Any
    is_text: bool
    origin: Origin
    section_origin: Origin


class Flag(NamedTuple):
    """A flag of a command that sets an option: `Flag("--bootstrap", "kafka.bootstrap", bootstrap)`.

    The value None says that the flag was not used.
    """

    flag: str
    path: str
    value: Any


def find_file(maybe_flag: Path | None, environ: Mapping[str, str], folder: Path) -> Path | None:
    """Choose the file: `--config`, else PRECEDE_CONFIG, else the folder's precede.toml if any."""
    if maybe_flag is not None:
        return _named_file(maybe_flag, folder, named_by="--config")
    variable = environ.get(FILE_VARIABLE, "")
    if variable:
        return _named_file(Path(variable), folder, named_by=FILE_VARIABLE)
    path = folder / FILE_NAME
    return path if is_file(path) else None


def read_file(path: Path) -> list[Given]:
    """Read every value of the file with its line; `ConfigurationError` if it is not TOML."""
    name = display_name(path)
    try:
        if path.stat().st_size > MOST_FILE_BYTES:
            raise ConfigurationError(
                (f"{name} has {path.stat().st_size} bytes, more than {MOST_FILE_BYTES}; "
                 "is it the file you meant?",)
            )  # fmt: skip
        text = path.read_text(encoding="utf-8")
        document = tomllib.loads(text)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise ConfigurationError((f"{name} cannot be read ({reason}); mend that",)) from error
    except UnicodeDecodeError as error:
        raise ConfigurationError(
            (f"{name} is not UTF-8 text (byte {error.start}); save it as UTF-8",)
        ) from error
    except (ValueError, RecursionError) as error:
        raise ConfigurationError((_syntax_problem(name, text, error),)) from error
    lines = statement_lines(text)

    def place(section: str, key: str) -> Origin:
        maybe_line = lines.get((section, key))
        return Origin(OriginKind.FILE, name if maybe_line is None else f"{name}:{maybe_line}")

    return [
        Given(section, key, raw, False, place(section, key), place(section, ""))
        for section, key, raw in _leaves(document)
    ]


def read_environment(environ: Mapping[str, str]) -> list[Given]:
    """Read PRECEDE__SECTION__KEY variables, in the order of their names."""
    found = []
    for name in sorted(environ):
        if not name.startswith(VARIABLE_PREFIX):
            continue
        section, _, key = name[len(VARIABLE_PREFIX) :].lower().partition("__")
        origin = Origin(OriginKind.ENVIRONMENT, name)
        found.append(Given(section, key, environ[name], True, origin, origin))
    return found


def read_flags(flags: Iterable[Flag]) -> list[Given]:
    """Read the flags that were used."""
    found = []
    for flag, path, value in flags:
        if value is None:
            continue
        section, _, key = path.partition(".")
        raw = str(value) if isinstance(value, Path) else value
        origin = Origin(OriginKind.FLAG, flag)
        found.append(Given(section, key, raw, isinstance(raw, str), origin, origin))
    return found


def read_assignments(assignments: Iterable[str]) -> list[Given]:
    """Read `--set section.key=value`; a text of another form is a problem of its own."""
    found = []
    for assignment in assignments:
        path, equals, value = assignment.partition("=")
        section, dot, key = path.strip().partition(".")
        if not (equals and dot and section and key):
            raise ConfigurationError(
                (f'{SET_FLAG} "{assignment}" has not the form section.key=value; '
                 f"write for example {SET_FLAG} kafka.partitions=4",)
            )  # fmt: skip
        origin = Origin(OriginKind.FLAG, SET_FLAG)
        found.append(Given(section, key, value, True, origin, origin))
    return found


def is_file(path: Path) -> bool:
    """Whether the path names a file; a path that cannot be looked at at all names none."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def display_name(path: Path) -> str:
    """The file as it was named, and relative to the current folder if it is below it."""
    try:
        return str(path.relative_to(Path.cwd())) if path.is_absolute() else str(path)
    except ValueError:
        return str(path)


def _named_file(path: Path, folder: Path, *, named_by: str) -> Path:
    path = path.expanduser()
    full = path if path.is_absolute() else folder / path
    if not is_file(full):
        raise ConfigurationError(
            (f"{named_by}: {path} is no file; name one that exists, or write one with "
             f"`precede config init --config {path}`",)
        )  # fmt: skip
    return full


def _leaves(document: Mapping[str, Any]) -> list[tuple[str, str, Any]]:
    leaves: list[tuple[str, str, Any]] = []
    for section, content in document.items():
        if not isinstance(content, dict):
            leaves.append((section, "", content))
            continue
        if not content:
            leaves.append((section, "", content))
        leaves.extend((section, key, raw) for key, raw in content.items())
    return leaves


def _syntax_problem(name: str, text: str, error: Exception) -> str:
    """Put the line, which tomllib says last if at all, where editors look for it."""
    reason, _, position = str(error).partition(" (at ")
    words = position.replace(",", "").replace(")", "").split()
    line = words[1] if words[:1] == ["line"] else str(text.rstrip().count("\n") + 1)
    return (
        f"{name}:{line}: not valid TOML ({reason.lower()}); mend this line, "
        'which has the form key = 3 or key = "text"'
    )
