"""Formats as in kcat."""

from __future__ import annotations

import pytest

from console.answers.formats import FIELDS, parse_format
from console.errors import UsageError
from sinks.consumer_delivery import Delivery

ONE = Delivery(
    "dev", 4, "bob#1:7", "bob#1", 7, ("ann#1:3",), b"I \x1b do", None, ("late",), 1, 2_000,
    partition=1, offset=90, entry=0, ordinal=5,
)  # fmt: skip


def test_every_sign_stands_for_its_part() -> None:
    text = "".join(f"%{sign}|" for sign in FIELDS)
    written = parse_format(text, is_for_people=False)(ONE)
    assert written == "I \x1b do|6|dev|3|2|1|90|4|5|bob#1:7|bob#1|ann#1:3|late|"


def test_escapes_are_those_of_kcat_and_a_percent_sign_is_written_twice() -> None:
    assert parse_format(r"100%% %P\t\x41\\\n", is_for_people=False)(ONE) == "100% 4\tA\\\n"


def test_a_person_sees_no_escape_sequence() -> None:
    assert parse_format("%s", is_for_people=True)(ONE) == "I \\x1b do"


@pytest.mark.parametrize("wrong", ["%Z", "50%", "\\"])
def test_a_wrong_format_says_which_signs_there_are(wrong: str) -> None:
    with pytest.raises(UsageError, match="%" if wrong != "\\" else "ends in"):
        parse_format(wrong, is_for_people=False)
