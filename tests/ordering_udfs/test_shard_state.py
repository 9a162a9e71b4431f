"""The state column's bytes."""

from __future__ import annotations

import msgspec
import pytest

from ordering_udfs.errors import StateError
from ordering_udfs.shard_state import FORMAT_VERSION, ShardState, decode_state, encode_state

STATE = ShardState(
    1, 70, 12, 7, 2, 1, 3, 5_000, 60,
    ["dev"], {"dev": 9_000}, {"dev": "fifo"}, {"dev": b"\x01\x02", "ops": b""},
)  # fmt: skip


def test_a_state_reads_as_it_was_written() -> None:
    assert decode_state(encode_state(STATE)) == STATE


def test_the_first_byte_is_the_format() -> None:
    assert encode_state(STATE)[0] == FORMAT_VERSION


def test_what_is_held_is_what_remains() -> None:
    assert STATE.held == 2


def test_another_format_is_refused_with_both_numbers() -> None:
    encoded = bytes((9,)) + encode_state(STATE)[1:]
    with pytest.raises(StateError, match="format 9, this program reads 2 and 3"):
        decode_state(encoded)


def test_damaged_bytes_are_refused_at_every_length() -> None:
    encoded = encode_state(STATE)
    for length in range(len(encoded)):
        with pytest.raises(StateError):
            decode_state(encoded[:length])


def test_a_state_of_an_earlier_release_has_nothing_of_what_came_later() -> None:
    fields = msgspec.msgpack.decode(encode_state(STATE)[1:])
    earlier = bytes((2,)) + msgspec.msgpack.encode(fields[:13])
    decoded = decode_state(earlier)
    assert decoded.reasons == {"earlier_release": STATE.quarantined}
    decoded.reasons = {}
    assert decoded == STATE
