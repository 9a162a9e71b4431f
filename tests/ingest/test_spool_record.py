import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.spool.record import (
    DATA_BYTES,
    HEAD_BYTES,
    KEY_BYTES,
    MARKER,
    RECORD_BYTES,
    Entry,
    EntryKind,
    encode_record,
    encode_records,
    scan,
    size_of,
)
from ingest.wire import bounds

SALT = 0xC0FFEE

entries = st.builds(
    Entry,
    sequence=st.integers(1, 2**63),
    captured_at=st.integers(0, 2**63),
    key=st.binary(max_size=20),
    data=st.one_of(st.binary(max_size=80), st.just(MARKER * 20)),
    kind=st.sampled_from(EntryKind),
)


def _three() -> list[Entry]:
    return [Entry(n, 10 * n, b"dev", b"message %d " % n + MARKER) for n in (1, 2, 3)]


def _joined(found: list[Entry]) -> bytes:
    return b"".join(encode_record(entry, SALT) for entry in found)


@given(st.lists(entries, max_size=6))
def test_what_was_written_is_found_again_in_order(written: list[Entry]) -> None:
    data = _joined(written)
    assert scan(data, SALT) == (written, len(data), len(data), 0)
    assert len(data) == sum(entry.size for entry in written) == size_of(written)
    assert data == encode_records(written, SALT)


def test_the_bounds_hold_the_longest_group_and_the_longest_envelope() -> None:
    assert bounds.GROUP_BYTES <= KEY_BYTES
    assert DATA_BYTES > bounds.PAYLOAD_BYTES + bounds.PARENTS_BYTES + bounds.STAMPS_BYTES + 1_024
    longest = Entry(1, 1, b"k" * KEY_BYTES, b"d" * DATA_BYTES)
    assert longest.size == RECORD_BYTES
    assert scan(encode_record(longest, SALT), SALT).entries == [longest]


def test_cut_at_every_byte_the_whole_records_before_are_found_and_nothing_else() -> None:
    written = _three()
    data = _joined(written)
    ends = [sum(entry.size for entry in written[:count]) for count in range(4)]
    for length in range(len(data) + 1):
        found = scan(data[:length], SALT)
        whole = sum(end <= length for end in ends[1:])
        assert found.entries == written[:whole]
        assert found.whole_through == ends[whole]
        assert found.through == ends[whole] or length - found.through < HEAD_BYTES


def test_a_flip_of_any_bit_loses_its_own_record_and_no_other() -> None:
    written = _three()
    data = _joined(written)
    starts = [sum(entry.size for entry in written[:count]) for count in range(3)]
    for bit in range(len(data) * 8):
        damaged = bytearray(data)
        damaged[bit // 8] ^= 1 << bit % 8
        hit = sum(start <= bit // 8 for start in starts) - 1
        found = scan(bytes(damaged), SALT)
        assert found.entries == [entry for n, entry in enumerate(written) if n != hit]
        assert found.damaged_bytes > 0 or found.through < len(data)


@given(st.binary(max_size=300))
def test_no_bytes_make_a_scan_raise_or_invent_a_record(data: bytes) -> None:
    found = scan(data, SALT)
    assert found.entries == []
    assert found.through <= len(data)


@given(st.lists(entries, min_size=1, max_size=4), st.integers(1, 200))
def test_pieces_of_a_file_give_what_the_whole_gives(written: list[Entry], piece: int) -> None:
    data = _joined(written)
    found: list[Entry] = []
    held, position = b"", 0
    while position < len(data):
        held += data[position : position + piece]
        position += piece
        scanned = scan(held, SALT)
        found += scanned.entries
        held = held[scanned.through :]
    assert found == written


def test_a_record_hidden_in_a_payload_is_not_found_when_its_record_is_damaged() -> None:
    hidden = encode_record(Entry(7, 7, b"dev", b"forged"), SALT + 1)
    carrier = encode_record(Entry(1, 1, b"dev", hidden), SALT)
    for at in range(HEAD_BYTES):
        damaged = bytearray(carrier)
        damaged[at] ^= 0xFF
        assert scan(bytes(damaged), SALT).entries == []


@pytest.mark.parametrize("salt", [0, SALT + 1])
def test_records_of_another_segment_are_none_here(salt: int) -> None:
    assert scan(_joined(_three()), salt).entries == []
