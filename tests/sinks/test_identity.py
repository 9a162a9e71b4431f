"""The text form of a message id."""

from __future__ import annotations

import pytest

from ordering.values import MemberId, MessageId
from sinks.errors import RecordError
from sinks.identity import id_text, parse_id


@pytest.mark.parametrize("sender", ["alice#1", "a:b#2", "ünïcode#3"])
def test_an_id_reads_as_it_was_written(sender: str) -> None:
    message_id = MessageId(MemberId(sender), 7)
    assert parse_id(id_text(message_id)) == message_id


@pytest.mark.parametrize(
    "text", ["", "alice", "alice:", ":7", "alice:x", "alice:-1", "alice:\u0667"]
)
def test_other_text_is_refused_with_the_form_that_is_right(text: str) -> None:
    with pytest.raises(RecordError, match="name#incarnation:seq"):
        parse_id(text)
