"""Laws of the options that are read from the rooms' dataclasses."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import NewType

import pytest

from console.configuration.loading import all_options
from console.configuration.options import METADATA_KEYS, OptionError, options_of, shown

Name = NewType("Name", str)


class Size(StrEnum):
    SMALL = "small"
    LARGE = "large"


@dataclass(frozen=True, kw_only=True)
class Shapes:
    needed: int = field(metadata={"minimum": 1})
    size: Size = Size.SMALL
    names: tuple[Name, ...] = ()
    maybe_file: Path | None = None
    later: int = field(default=0, init=False)
    many: tuple[int, ...] = field(default_factory=lambda: (1, 2))


def test_an_option_knows_its_shape() -> None:
    needed, size, names, file, many = options_of("shapes", Shapes)
    assert (needed.scalar, needed.is_required) == (int, True)
    assert (size.scalar, size.choices) == (Size, ("small", "large"))
    assert (names.scalar, names.is_list) == (str, True)
    assert (file.scalar, file.is_optional, file.default) == (Path, True, None)
    assert (many.scalar, many.default) == (int, (1, 2))


def test_an_option_has_one_name_for_people_and_one_for_the_environment() -> None:
    option = options_of("shapes", Shapes)[0]
    assert (option.path, option.variable) == ("shapes.needed", "PRECEDE__SHAPES__NEEDED")


def test_a_field_that_no_text_can_set_is_refused() -> None:
    @dataclass(frozen=True)
    class Wrong:
        table: dict[str, int] = field(default_factory=dict)

    with pytest.raises(OptionError, match=r"wrong\.table"):
        options_of("wrong", Wrong)


def test_metadata_that_nobody_reads_is_refused() -> None:
    @dataclass(frozen=True)
    class Wrong:
        number: int = field(default=1, metadata={"minimun": 1})

    with pytest.raises(OptionError, match="minimun"):
        options_of("wrong", Wrong)


@pytest.mark.parametrize(
    ("metadata", "words"),
    [
        ({}, "a whole number"),
        ({"minimum": 1}, "a whole number, at least 1"),
        ({"maximum": 5000, "unit": "ms"}, "a whole number, at most 5,000 ms"),
        ({"minimum": 1, "maximum": 9}, "a whole number from 1 to 9"),
        ({"unit": "bytes"}, "a whole number, in bytes"),
    ],
)
def test_what_to_write_is_said_in_words(metadata: dict[str, object], words: str) -> None:
    option = options_of("shapes", Shapes)[0]._replace(metadata=metadata)
    assert option.expectation() == words


def test_values_are_shown_as_the_file_would_have_them() -> None:
    assert shown(None) == ""
    assert shown(Size.LARGE) == '"large"'
    assert shown(("a", "b")) == '["a", "b"]'
    assert [shown(value) for value in (True, False, 3, 0.5)] == ["true", "false", "3", "0.5"]


def test_a_shown_value_never_drives_a_terminal() -> None:
    assert shown("\x1b[31m") == '"\\u001b[31m"'


def test_every_option_of_every_room_says_what_it_is() -> None:
    for options in all_options().values():
        for option in options:
            assert option.help.endswith("."), f"{option.path} needs help that is a sentence"


def test_every_number_of_every_room_has_a_range() -> None:
    for options in all_options().values():
        for option in options:
            if option.scalar in (int, float):
                assert {"minimum", "maximum"} <= set(option.metadata), option.path


def test_the_module_describes_every_metadata_key() -> None:
    import console.configuration.options as module

    assert module.__doc__ is not None
    for key in METADATA_KEYS:
        assert key in module.__doc__, key
