"""What may be set: one `Option` for each field of a room's settings dataclass.

Rooms may not import `console`, so they describe a field with plain metadata that is read here:

    key                 meaning
    help                one sentence for people; every field has it
    unit                unit of a number, e.g. "ms"
    minimum, maximum    the allowed range of a number, both ends included
    choices             the allowed words of a str (an Enum brings its own)
    pattern             regular expression that the whole text must match (each item of a tuple)
    pattern_per_item    True: the text is a comma-separated list and each item must match
    form                the pattern in words, shown when it does not match
    readable_file       True: a Path that must name a readable file when the program starts
    secret_file         name of the secret that this file holds; the secret is shown as stars
    secret              True: the value itself is shown as stars
"""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Mapping
from enum import Enum
from pathlib import Path
from typing import Any, NamedTuple

VARIABLE_PREFIX = "PRECEDE__"
"""Environment variables of the configuration start with this: PRECEDE__SECTION__KEY."""

SECRET_SHOWN_AS = "**********"
"""Ten stars whatever the length, so that not even the length of a secret is told."""

METADATA_KEYS = frozenset(
    {
        "help", "unit", "minimum", "maximum", "choices", "pattern", "pattern_per_item", "form",
        "readable_file", "secret_file", "secret",
    }
)  # fmt: skip

SCALARS: tuple[type, ...] = (str, int, float, bool, Path)


class OptionError(TypeError):
    """A settings dataclass declares a field that cannot be read from text: a mistake of ours."""


class Option(NamedTuple):
    """One thing that may be set, with all that the loader, the help and the reference need."""

    section: str
    name: str
    scalar: type
    is_list: bool
    is_optional: bool
    is_required: bool
    default: Any
    metadata: Mapping[str, Any]

    @property
    def path(self) -> str:
        """The name that people use: `kafka.bootstrap`."""
        return f"{self.section}.{self.name}"

    @property
    def variable(self) -> str:
        """The environment variable that sets it."""
        return f"{VARIABLE_PREFIX}{self.section}__{self.name}".upper()

    @property
    def help(self) -> str:
        return str(self.metadata.get("help", ""))

    @property
    def choices(self) -> tuple[str, ...]:
        """The allowed words, empty when any will do."""
        if issubclass(self.scalar, Enum):
            return tuple(str(member.value) for member in self.scalar)
        return tuple(self.metadata.get("choices", ()))

    @property
    def is_secret(self) -> bool:
        return bool(self.metadata.get("secret", False))

    @property
    def maybe_secret_name(self) -> str | None:
        """The name of the secret that the named file holds."""
        name = self.metadata.get("secret_file")
        return None if name is None else str(name)

    def expectation(self) -> str:
        """What to write, in words: "a whole number from 1 to 1024"."""
        what = f"one of {', '.join(self.choices)}" if self.choices else _words_for(self)
        return f"a list, each item {what}" if self.is_list else what


def options_of(section: str, settings_type: type) -> tuple[Option, ...]:
    """Read the options of one section from its dataclass; `OptionError` if one cannot be set."""
    hints = typing.get_type_hints(settings_type)
    options = []
    for field in dataclasses.fields(settings_type):
        if not field.init:
            continue
        unknown = set(field.metadata) - METADATA_KEYS
        if unknown:
            raise OptionError(f"{section}.{field.name} has unknown metadata {sorted(unknown)}")
        scalar, is_list, is_optional = _shape_of(hints[field.name], f"{section}.{field.name}")
        default, is_required = _default_of(field)
        options.append(
            Option(
                section=section,
                name=field.name,
                scalar=scalar,
                is_list=is_list,
                is_optional=is_optional,
                is_required=is_required,
                default=default,
                metadata=field.metadata,
            )
        )
    return tuple(options)


def shown(value: object) -> str:
    """A value as a person would write it in TOML; nothing set is an empty text."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Enum):
        return shown(value.value)
    if isinstance(value, tuple | list):
        return "[" + ", ".join(shown(item) for item in value) + "]"
    if isinstance(value, int | float):
        return str(value)
    escaped = str(value).replace("\\", "\\\\").replace('"', '\\"')
    printable = "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in escaped)
    return f'"{printable}"'


def _default_of(field: dataclasses.Field[Any]) -> tuple[Any, bool]:
    if field.default is not dataclasses.MISSING:
        return field.default, False
    if field.default_factory is not dataclasses.MISSING:
        return field.default_factory(), False
    return None, True


def _shape_of(hint: Any, path: str) -> tuple[type, bool, bool]:
    """Take `X`, `X | None` or `tuple[X, ...]` apart into (X, is a list, may be absent)."""
    is_optional = False
    if typing.get_origin(hint) in (types.UnionType, typing.Union):
        rest = [part for part in typing.get_args(hint) if part is not type(None)]
        if len(rest) != 1:
            raise OptionError(f"{path} has the type {hint}; only `X` or `X | None` can be read")
        hint, is_optional = rest[0], True
    is_list = typing.get_origin(hint) is tuple
    if is_list:
        hint = typing.get_args(hint)[0]
    while isinstance(hint, typing.NewType):
        hint = hint.__supertype__
    if isinstance(hint, type) and (hint in SCALARS or issubclass(hint, Enum)):
        return hint, is_list, is_optional
    raise OptionError(f"{path} has the type {hint}, which no text can be read as")


def _words_for(option: Option) -> str:
    form = option.metadata.get("form")
    if form is not None:
        return str(form) if form.startswith(("a ", "an ")) else f"text of the form {form}"
    if option.scalar is bool:
        return "true or false"
    if option.scalar in (int, float):
        return _words_for_number(option)
    if option.metadata.get("readable_file"):
        return "the path of a readable file"
    return "the path of a file or folder" if option.scalar is Path else "text"


def _words_for_number(option: Option) -> str:
    words = "a whole number" if option.scalar is int else "a number"
    unit = f" {option.metadata['unit']}" if "unit" in option.metadata else ""
    minimum, maximum = option.metadata.get("minimum"), option.metadata.get("maximum")
    if minimum is not None and maximum is not None:
        return f"{words} from {minimum:,} to {maximum:,}{unit}"
    if minimum is not None:
        return f"{words}, at least {minimum:,}{unit}"
    if maximum is not None:
        return f"{words}, at most {maximum:,}{unit}"
    return f"{words}, in {unit.strip()}" if unit else words
