"""From what a person wrote to a typed value, or a sentence that says what to write instead.

A file has types of its own (a TOML number is no text), and there a wrong type is a mistake. The
environment and flags have text only, which is read as the option's type.
"""

from __future__ import annotations

import os
import re
from enum import Enum
from pathlib import Path
from typing import Any

from console.configuration.options import Option, shown
from console.configuration.sources import is_file
from ingest.closed_file import why_open

TRUE_WORDS = frozenset({"true", "yes", "on", "1"})
FALSE_WORDS = frozenset({"false", "no", "off", "0"})
LIST_SEPARATOR = ","
MOST_SHOWN = 80
"""Enough of a value to recognise it by."""


class ConversionError(ValueError):
    """The operator's: the text completes "kafka.partitions …" and says what to do."""


def convert(option: Option, raw: object, *, is_text: bool) -> Any:
    """Give the typed value of `raw`; called by the loader once for each value that was given.

    An empty text unsets what may be absent, so that an environment can undo what a file sets.
    """
    if option.is_optional and raw == "":
        return None
    if not option.is_list:
        value = _scalar(option, raw, is_text=is_text)
        _check(option, value)
        return value
    if is_text:
        text = str(raw)
        items: list[object] = [part.strip() for part in text.split(LIST_SEPARATOR) if part.strip()]
    elif isinstance(raw, list | tuple):
        items = list(raw)
    else:
        raise _refused(option, raw, "is not a list")
    values = tuple(_scalar(option, item, is_text=is_text) for item in items)
    for value in values:
        _check(option, value)
    return values


def _scalar(option: Option, raw: object, *, is_text: bool) -> Any:
    scalar = option.scalar
    if issubclass(scalar, Enum):
        return _member(option, scalar, raw)
    if scalar is bool:
        return _boolean(option, raw, is_text=is_text)
    if scalar in (int, float):
        return _number(option, raw, is_text=is_text)
    if not isinstance(raw, str):
        raise _refused(option, raw, "is not text", hint=_quote_hint(raw))
    if scalar is Path:
        if not raw:
            raise _refused(option, raw, "is empty")
        try:
            return Path(raw).expanduser()
        except RuntimeError:
            raise _refused(option, raw, "names a home that does not exist") from None
    return raw


def _member(option: Option, scalar: type[Enum], raw: object) -> Enum:
    for member in scalar:
        if isinstance(raw, str) and raw.lower() == str(member.value).lower():
            return member
    raise _refused(option, raw, "is not known")


def _boolean(option: Option, raw: object, *, is_text: bool) -> bool:
    if isinstance(raw, bool):
        return raw
    if is_text and str(raw).lower() in TRUE_WORDS:
        return True
    if is_text and str(raw).lower() in FALSE_WORDS:
        return False
    raise _refused(option, raw, "is neither true nor false")


def _number(option: Option, raw: object, *, is_text: bool) -> int | float:
    wanted = "a whole number" if option.scalar is int else "a number"
    if is_text and isinstance(raw, str):
        try:
            return int(raw) if option.scalar is int else float(raw)
        except ValueError:
            raise _refused(option, raw, f"is not {wanted}") from None
    if isinstance(raw, bool) or not isinstance(raw, int | float):
        hint = ", without quotes" if isinstance(raw, str) else ""
        raise _refused(option, raw, f"is not {wanted}", hint=hint)
    if option.scalar is int and not isinstance(raw, int):
        raise _refused(option, raw, f"is not {wanted}")
    try:
        return float(raw) if option.scalar is float else raw
    except OverflowError:
        raise _refused(option, "a number", "is too large") from None


def _check(option: Option, value: Any) -> None:
    """Hold a converted value against the option's range, words, pattern and file."""
    metadata = option.metadata
    if isinstance(value, int | float) and not isinstance(value, bool):
        if value != value or value in (float("inf"), float("-inf")):
            raise _refused(option, value, "is not a finite number")
        if "minimum" in metadata and value < metadata["minimum"]:
            raise _refused(option, value, f"is below the least allowed, {metadata['minimum']:,}")
        if "maximum" in metadata and value > metadata["maximum"]:
            raise _refused(option, value, f"is above the most allowed, {metadata['maximum']:,}")
    if option.choices and not isinstance(value, Enum) and value not in option.choices:
        raise _refused(option, value, "is not known")
    if isinstance(value, str) and "pattern" in metadata:
        _check_pattern(option, value)
    if metadata.get("readable_file") and isinstance(value, Path):
        _check_file(option, value)


def _check_pattern(option: Option, value: str) -> None:
    is_per_item = option.metadata.get("pattern_per_item", False)
    items = [part.strip() for part in value.split(LIST_SEPARATOR)] if is_per_item else [value]
    for item in items:
        if re.fullmatch(option.metadata["pattern"], item) is None:
            raise _refused(option, value, "has not the right form")


def _check_file(option: Option, path: Path) -> None:
    """A file that is missing at the start is said now, not when a client first connects."""
    advice = "create it or name another file"
    name = shortened(shown(path))
    if not is_file(path):
        raise ConversionError(f"{option.path} names {name}, which is no file; {advice}")
    if not os.access(path, os.R_OK):
        raise ConversionError(
            f"{option.path} names {name}, which this user may not read; "
            "give this user the right to read it or name another file"
        )
    if path.stat().st_size == 0:
        raise ConversionError(
            f"{option.path} names {name}, which is empty; fill it or name another file"
        )
    maybe_problem = None if option.maybe_secret_name is None else why_open(path, path.stat())
    if maybe_problem is not None:
        raise ConversionError(f"{option.path} names {name}, which {maybe_problem}")


def _refused(option: Option, raw: object, what: str, *, hint: str = "") -> ConversionError:
    value = "the given value" if option.is_secret else shortened(shown(raw) or "nothing")
    return ConversionError(
        f"{option.path} is {value}, which {what}; give {option.expectation()}{hint}"
    )


def shortened(text: str) -> str:
    """A long value by its beginning and its length."""
    return text if len(text) <= MOST_SHOWN else f"{text[:MOST_SHOWN]}... ({len(text)} characters)"


def _quote_hint(raw: object) -> str:
    return "" if isinstance(raw, list | dict) else ", in quotes"
