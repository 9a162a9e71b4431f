"""Laws of stamps: plain values all the way down, told apart by their type, empty by default."""

from __future__ import annotations

import msgspec
import pytest

from ordering.stamps import Cast, CausalStamps, MessageType, ObjectStamps, SignificantStamps, Stamps
from tests.ordering.memories import FAR

EXAMPLES = (
    CausalStamps(("a#1", "b#2"), (4, FAR), (1, 1), ("b#2",), (0, 3), 8),
    SignificantStamps(FAR, ("a#1",), (10,), 5, MessageType.REQUEST_STATE.value, "write", 2),
    ObjectStamps(
        1, 2, is_response=True, cast=Cast.PARALLEL.value, members=("a#1",), vector=((0, 1, FAR),)
    ),
)


@pytest.mark.parametrize("stamps", EXAMPLES)
def test_stamps_survive_an_encoding_of_tuples(stamps: Stamps) -> None:
    back = msgspec.msgpack.decode(msgspec.msgpack.encode(stamps), type=type(stamps))
    assert back == stamps


def test_stamps_of_no_kind_say_nothing_unless_told() -> None:
    assert not any(CausalStamps((), ()))
    assert SignificantStamps(0).preceding == ()
    assert SignificantStamps(0).own_preceding == 0
    assert not any((ObjectStamps(0, 0).vector, ObjectStamps(0, 0).targets))
    assert not ObjectStamps(0, 0).is_response


def test_a_message_type_says_input_or_none_then_state_or_none_or_output() -> None:
    assert [kind.value for kind in MessageType] == ["IS", "IN", "NS", "NN", "O", "N"]
    assert MessageType(SignificantStamps(0).message_type) is MessageType.RESPONSE_PLAIN


def test_an_object_casts_in_three_ways() -> None:
    assert [cast.value for cast in Cast] == ["ucast", "mcast", "pcast"]
    assert Cast(ObjectStamps(0, 0).cast) is Cast.UNICAST
