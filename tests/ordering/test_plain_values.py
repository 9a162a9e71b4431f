"""Laws of plain values: a message or a requirement written down and read back is the same."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ordering.plain_values import (
    STAMP_KINDS,
    read_message,
    read_requirement,
    write_message,
    write_requirement,
)
from ordering.requirement import Measure, Requirement, UpTo
from ordering.stamps import CausalStamps, ObjectStamps, SignificantStamps, Stamps
from ordering.values import MemberId, Message, MessageId
from tests.ordering.memories import FAR
from tests.ordering.untimed import untimed

PIDS = st.text(max_size=5).map(MemberId)
NUMBERS = st.integers(0, FAR)
IDS = st.builds(MessageId, PIDS, NUMBERS)
NAMES = st.lists(st.text(max_size=3), max_size=3).map(tuple)
VECTORS = st.lists(NUMBERS, max_size=3).map(tuple)
TRIPLES = st.lists(st.tuples(NUMBERS, NUMBERS, NUMBERS), max_size=3).map(tuple)
STAMPS = (
    st.none()
    | st.builds(CausalStamps, NAMES, VECTORS, VECTORS, NAMES, VECTORS, NUMBERS)
    | st.builds(SignificantStamps, NUMBERS, NAMES, VECTORS, NUMBERS, instance=NUMBERS)
    | st.builds(ObjectStamps, NUMBERS, NUMBERS, targets=NAMES, members=NAMES, vector=TRIPLES)
)
MESSAGES = st.builds(
    Message, IDS, st.lists(IDS, max_size=3).map(tuple), st.binary(max_size=5), STAMPS, VECTORS
)
UP_TO = st.builds(UpTo, PIDS, NUMBERS, st.sampled_from(Measure), st.none() | PIDS)


def through_bytes(plain: list[Any]) -> list[Any]:
    decoded: list[Any] = msgspec.msgpack.decode(msgspec.msgpack.encode(plain))
    return decoded


@untimed
@given(MESSAGES)
def test_a_message_comes_back_as_it_was(message: Message) -> None:
    back = read_message(message.id, through_bytes(write_message(message)))
    assert back == message
    assert type(back.stamps) is type(message.stamps)
    assert all(type(parent) is MessageId for parent in back.parents)


@untimed
@given(IDS | UP_TO)
def test_a_requirement_comes_back_as_it_was_and_of_its_kind(requirement: Requirement) -> None:
    back = read_requirement(through_bytes(write_requirement(requirement)))
    assert back == requirement
    assert type(back) is type(requirement)


@pytest.mark.parametrize(
    ("number", "kind"), [(0, CausalStamps), (1, SignificantStamps), (2, ObjectStamps)]
)
def test_the_number_of_a_kind_of_stamps_never_changes(number: int, kind: type[Stamps]) -> None:
    assert STAMP_KINDS[number] is kind


def test_a_message_that_answers_nothing_and_says_nothing_is_four_empty_fields() -> None:
    message = Message(MessageId(MemberId("a#1"), 1), (), b"")
    assert write_message(message) == [[], b"", None, []]
