"""A token says where a consumer stands, and nothing that was changed passes for one."""

from __future__ import annotations

import pytest

from sinks.consumer_token import Place, Token, read_token, write_token
from sinks.errors import TokenError

TOKEN = Token("precede.ordered", ("a", "b"), {0: Place(17, 20), 1: Place(None, 3), 2: Place(0)})


def test_a_token_says_what_was_written() -> None:
    text = write_token(TOKEN)
    assert text.startswith("precede1.")
    assert text.isascii()
    assert "\n" not in text
    assert read_token(text, topic="precede.ordered", groups=("a", "b")) == TOKEN.places


def test_every_cut_and_every_changed_character_is_seen() -> None:
    text = write_token(TOKEN)
    for place in range(len(text)):
        changed = text[:place] + ("A" if text[place] != "A" else "B") + text[place + 1 :]
        for wrong in (text[:place], changed):
            with pytest.raises(TokenError):
                read_token(wrong, topic="precede.ordered", groups=("a", "b"))


def test_a_token_of_a_later_version_says_what_to_do() -> None:
    later = write_token(TOKEN).replace("precede1.", "precede2.")
    with pytest.raises(TokenError, match="version 2, this program reads version 1"):
        read_token(later, topic="precede.ordered", groups=("a", "b"))


def test_other_groups_are_named() -> None:
    with pytest.raises(TokenError, match="the groups a, b, and now every group"):
        read_token(write_token(TOKEN), topic="precede.ordered", groups=None)
