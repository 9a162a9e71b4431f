"""A bundle gives back what was packed, and nothing that its bytes can't answer for."""

from struct import pack_into

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.wire import bounds, bundle
from ingest.wire.bundle import (
    ENTRY_FIXED_BYTES,
    HEAD_BYTES,
    MAGIC,
    Entry,
    cut,
    entries_of,
    is_bundle,
    pack,
)
from ingest.wire.envelope import encode
from ingest.wire.errors import WireError, WireReason
from tests.ingest.envelopes import plain

PAIRS = [(1_000, encode(plain(1))), (1_001, b""), (999, b"junk")]

pairs = st.lists(
    st.tuples(st.integers(0, bounds.SENT_AT_LAST), st.binary(max_size=60)), min_size=1, max_size=20
)


def reason_of(data: bytes) -> WireReason | None:
    try:
        cut(data)
    except WireError as error:
        return error.reason
    return None


def changed(layout: str, at: int, value: int) -> bytes:
    data = bytearray(pack(PAIRS))
    pack_into(layout, data, at, value)
    return bytes(data)


@given(pairs)
def test_what_is_packed_is_cut_to_itself(entries: list[tuple[int, bytes]]) -> None:
    packed = pack(entries)
    assert is_bundle(packed)
    assert cut(packed) == entries
    assert entries_of(packed, captured_at=7) == entries


def test_the_bytes_are_the_documented_ones() -> None:
    packed = bytes.fromhex(
        "50524342 01 00 0002 00000000000003e8 00000000000003e9 00000002 00000003"
    )
    assert pack([(1_000, b"hi"), (1_001, b"you")]) == packed + b"hiyou"


@settings(max_examples=1_000)
@given(st.binary(max_size=200))
def test_no_bytes_raise_anything_but_a_wire_error(data: bytes) -> None:
    for candidate in (data, MAGIC + data, MAGIC + b"\x01\x00\x00\x02" + data):
        reason_of(candidate)


@given(pairs, st.data())
def test_a_bundle_cut_short_or_with_bytes_added_is_refused(
    entries: list[tuple[int, bytes]], draw: st.DataObject
) -> None:
    packed = pack(entries)
    assert reason_of(packed[: draw.draw(st.integers(0, len(packed) - 1))]) is not None
    assert reason_of(packed + b"x") is WireReason.LENGTH_MISMATCH


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"PRCB\x01", WireReason.TOO_SHORT),
        (encode(plain()), WireReason.NOT_OURS),
        (changed(">B", 4, 2), WireReason.UNKNOWN_VERSION),
        (changed(">B", 5, 1), WireReason.UNKNOWN_FLAGS),
        (changed(">H", 6, 0), WireReason.BAD_COUNT),
        (changed(">H", 6, bounds.BUNDLE_ENTRIES + 1), WireReason.BAD_COUNT),
        (changed(">H", 6, bounds.BUNDLE_ENTRIES), WireReason.TOO_SHORT),
        (changed(">I", HEAD_BYTES + 3 * 8, 0xFFFFFFFF), WireReason.LENGTH_MISMATCH),
        (changed(">Q", HEAD_BYTES, 2**63), WireReason.BAD_CAPTURED_AT),
    ],
)
def test_each_broken_rule_has_its_reason(data: bytes, reason: WireReason) -> None:
    assert reason_of(data) is reason


def test_what_cut_would_refuse_is_not_packed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounds, "BUNDLE_BYTES", HEAD_BYTES + ENTRY_FIXED_BYTES + 10)
    pack([(0, bytes(10))])
    for entries, reason in (
        ([], WireReason.BAD_COUNT),
        ([(0, b"")] * (bounds.BUNDLE_ENTRIES + 1), WireReason.BAD_COUNT),
        ([(0, bytes(11))], WireReason.OVER_BOUND),
        ([(-1, b"")], WireReason.BAD_CAPTURED_AT),
        ([(2**63, b"")], WireReason.BAD_CAPTURED_AT),
    ):
        with pytest.raises(WireError) as refused:
            pack(entries)
        assert refused.value.reason is reason
    assert reason_of(bundle.MAGIC + b"\x01\x00\x00\x01" + bytes(30)) is WireReason.OVER_BOUND


def test_a_plain_record_and_a_damaged_bundle_are_one_entry() -> None:
    plain_record = encode(plain())
    damaged = pack(PAIRS)[:-1]
    assert entries_of(plain_record, captured_at=7) == [Entry(7, plain_record)]
    assert entries_of(damaged, captured_at=7) == [Entry(7, damaged)]
