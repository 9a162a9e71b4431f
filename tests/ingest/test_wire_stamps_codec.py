from contextlib import suppress

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.wire import bounds
from ingest.wire.errors import WireError, WireReason
from ingest.wire.stamps_codec import StampsKind, decode_stamps, encode_stamps
from ordering.stamps import ObjectStamps, Stamps
from tests.ingest.envelopes import stamps

ARRAY_OF_ONE = b"\x91"
NESTED_BEYOND_ANY_STACK = ARRAY_OF_ONE * (bounds.STAMPS_BYTES - 1) + b"\xc0"
LYING_ARRAY_LENGTH = b"\xdd\xff\xff\xff\xff"
LYING_MAP_LENGTH = b"\xdf\xff\xff\xff\xff"
_TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
WITH_STAMPS = [kind for kind in StampsKind if kind is not StampsKind.NONE]


@given(stamps())
def test_stamps_come_back_as_they_were(value: Stamps) -> None:
    kind, raw = encode_stamps(value)
    decoded = decode_stamps(kind, raw)
    assert decoded == value
    assert type(decoded) is type(value)


def test_no_stamps_are_no_bytes() -> None:
    assert encode_stamps(None) == (StampsKind.NONE, b"")
    assert decode_stamps(StampsKind.NONE, b"") is None


def test_bytes_without_a_kind_are_refused() -> None:
    with pytest.raises(WireError) as caught:
        decode_stamps(StampsKind.NONE, b"\x90")
    assert caught.value.reason is WireReason.BAD_STAMPS


def test_an_unknown_kind_is_refused() -> None:
    with pytest.raises(WireError) as caught:
        decode_stamps(max(StampsKind) + 1, b"\x90")
    assert caught.value.reason is WireReason.UNKNOWN_STAMPS


def test_stamps_over_their_bound_are_refused_unread() -> None:
    with pytest.raises(WireError) as caught:
        decode_stamps(StampsKind.CAUSAL, b"\x90" * (bounds.STAMPS_BYTES + 1))
    assert caught.value.reason is WireReason.OVER_BOUND


@pytest.mark.parametrize("kind", WITH_STAMPS)
@pytest.mark.parametrize(
    "raw",
    [b"", NESTED_BEYOND_ANY_STACK, LYING_ARRAY_LENGTH, LYING_MAP_LENGTH, b"\x90\x90", b"\xc1"],
)
def test_deep_lying_and_trailing_bytes_are_refused(kind: StampsKind, raw: bytes) -> None:
    with pytest.raises(WireError) as caught:
        decode_stamps(kind, raw)
    assert caught.value.reason is WireReason.BAD_STAMPS


@pytest.mark.parametrize("number", [-1, 2**63, 2**64 - 1])
def test_a_number_that_no_column_could_hold_is_refused(number: int) -> None:
    for raw_value in ([["a#1"], [number]], [[], [], [], [], [], number]):
        with pytest.raises(WireError) as caught:
            decode_stamps(StampsKind.CAUSAL, msgspec.msgpack.encode(raw_value))
        assert caught.value.reason is WireReason.BAD_STAMPS
    with pytest.raises(WireError):
        encode_stamps(ObjectStamps(1, 1, vector=((0, number, 0),)))


@given(st.sampled_from(WITH_STAMPS), st.binary(max_size=200))
def test_no_bytes_raise_anything_but_a_wire_error(kind: StampsKind, raw: bytes) -> None:
    with suppress(WireError):
        assert decode_stamps(kind, raw) is not None


@given(
    st.sampled_from(WITH_STAMPS),
    st.recursive(
        st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.floats() | _TEXT,
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_TEXT, inner, max_size=4),
        max_leaves=20,
    ),
)
def test_well_formed_messagepack_of_any_shape_is_stamps_or_refused(
    kind: StampsKind, value: object
) -> None:
    with suppress(WireError):
        assert decode_stamps(kind, msgspec.msgpack.encode(value)) is not None
