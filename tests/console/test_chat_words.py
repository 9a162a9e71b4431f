"""Laws of showing what others wrote: nothing that a terminal would obey, nothing endless."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.text import Text

from console.chat.words import (
    MOST_CHARACTERS,
    NAME_COLOURS,
    colour_of,
    id_shown,
    name_shown,
    requirement_shown,
    shown,
)
from ordering.requirement import UpTo
from ordering.values import MemberId, MessageId


@given(st.text(max_size=2_000))
def test_whatever_was_written_is_one_line_of_bounded_length_without_controls(text: str) -> None:
    line = shown(text)
    assert len(line) <= MOST_CHARACTERS
    assert not [one for one in line if unicodedata.category(one) in ("Cc", "Cs", "Zl", "Zp")]
    assert Text(line).plain == line


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("hello", "hello"),
        ("[b]hello[/b]", "[b]hello[/b]"),
        ("one\n\ntwo\r\nthree", "one ⏎ two ⏎ three"),
        ("a\tb", "a  b"),
        ("\x1b[31mred", "�[31mred"),
        ("gro‮up", "gro�up"),
        ("👩‍🔬", "👩‍🔬"),
        ("", ""),
    ],
)
def test_lines_for_people(text: str, line: str) -> None:
    assert shown(text) == line


def test_a_long_message_ends_in_a_mark() -> None:
    assert shown("x" * 700) == "x" * 599 + "…"


def test_people_see_names_and_not_incarnations() -> None:
    assert name_shown("bob#17") == "bob"
    assert id_shown(MessageId(MemberId("bob#17"), 4)) == "bob:4"
    assert requirement_shown(MessageId(MemberId("bob#17"), 4)) == "bob:4"
    assert requirement_shown(UpTo(MemberId("bob#1"), 9)) == "bob's messages up to 9"


def test_a_name_keeps_its_colour_when_its_bearer_comes_back() -> None:
    assert colour_of("bob#1") == colour_of("bob#2")
    assert colour_of("bob#1") in NAME_COLOURS
