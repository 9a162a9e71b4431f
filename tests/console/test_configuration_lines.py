"""Laws of finding the line of a key."""

from __future__ import annotations

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from console.configuration.lines import statement_lines

VALUES = (
    "1",
    '"x"',
    "[\n1,\n2\n]",
    '"""\n[b]\nkey = 1"""',
    "{ x = 1 }",
    "[] # ]",
    "'''\n\n'''",
    "1\r",
)
BETWEEN = ("", "# [remark]", "   ")

TEXT = """\
# head
loose = 1
[a]
list = [  # opened
  "x",
]
long = \"\"\"
[b]
key = 1\"\"\"

"quoted" = 2
[empty]
b.dotted = 3
c = { inline = 4 }
[deep.inner]
d = 1
[[many]]
e = 1"""


def test_every_statement_has_its_line_however_it_is_written() -> None:
    assert statement_lines(TEXT) == {
        ("loose", ""): 2,
        ("a", ""): 3,
        ("a", "list"): 4,
        ("a", "long"): 7,
        ("a", "quoted"): 11,
        ("empty", ""): 12,
        ("empty", "b"): 13,
        ("empty", "c"): 14,
        ("deep", ""): 15,
        ("deep", "inner"): 15,
        ("many", ""): 17,
        ("many", "e"): 18,
    }


def test_the_end_of_a_line_may_be_written_as_elsewhere() -> None:
    assert statement_lines(TEXT.replace("\n", "\r\n")) == statement_lines(TEXT)


@pytest.mark.parametrize("text", ["a.b = 1", "a = { b = 1 }"])
def test_a_section_in_one_line_has_that_line(text: str) -> None:
    assert statement_lines(f"\n{text}") == {("a", ""): 2, ("a", "b"): 2}


@given(
    st.lists(st.tuples(st.sampled_from(BETWEEN), st.sampled_from(VALUES)), max_size=8),
    st.booleans(),
)
def test_a_key_begins_where_its_name_stands(
    statements: list[tuple[str, str]], is_in_section: bool
) -> None:
    text = "[s]\n" if is_in_section else ""
    expected: dict[tuple[str, str], int] = {}
    for index, (between, value) in enumerate(statements):
        text += f"{between}\n"
        name = f"key{index}"
        expected[("s", name) if is_in_section else (name, "")] = text.count("\n") + 1
        text += f"{name} = {value}\n"
    tomllib.loads(text)
    found = statement_lines(text)
    assert expected.items() <= found.items()
