"""What Kafka's own client reads from a log is what we read, and no damage is taken for records."""

from __future__ import annotations

import struct
from typing import NamedTuple

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as some
from kafka.record.memory_records import MemoryRecordsBuilder

from sinks.cloud_events import FACTS
from sinks.errors import RecordError
from sinks.record_batches import RawPiece, WholePiece, checksum, read_batches
from tests.sinks.record_bytes import (
    BROKERS_TIME,
    CHECKSUM_AT,
    CODECS,
    CONTROL,
    HEAD,
    Stored,
    built,
    compressed,
    flipped,
    read_by_client,
    resealed,
)

THE_END = 1 << 40
some_bytes = some.none() | some.binary(max_size=200)
some_names = some.sampled_from([FACTS, "ce_id"]) | some.text(max_size=5)
some_headers = some.lists(some.tuples(some_names, some_bytes), max_size=3)
some_codec = some.sampled_from(sorted(CODECS))
some_bits = some.integers(1, 255)
BATCH = built([Stored(0, b"one"), Stored(1, None), Stored(2, b"three" * 50)])


class Log(NamedTuple):
    """Batches for the client, which lacks some of the codecs, and the same as a log has them."""

    plain: list[bytes]
    stored: list[bytes]


@some.composite
def logs(draw: some.DrawFn) -> Log:
    """Offsets have holes: markers, and records that compaction took."""
    log = Log([], [])
    offset = draw(some.integers(0, 1 << 34))
    for _ in range(draw(some.integers(1, 4))):
        base = offset = offset + draw(some.integers(0, 3))
        records = []
        for _ in range(draw(some.integers(1, 8))):
            offset += draw(some.sampled_from([0, 0, 0, 1, 200]))
            at_ms = draw(some.integers(0, 1 << 42))
            value, key, headers = draw(some_bytes), draw(some_bytes), draw(some_headers)
            records.append(Stored(offset, value, key, at_ms, headers))
            offset += 1
        attributes = draw(some.sampled_from([0, BROKERS_TIME]))
        log.plain.append(resealed(built(records, base=base), attributes=attributes))
        log.stored.append(compressed(log.plain[-1], draw(some_codec)))
    return log


def read(fetched: bytes, *, start: int = 0, end: int = THE_END) -> tuple[RawPiece, int]:
    piece = RawPiece([], [], [])
    return piece, read_batches(fetched, piece, start=start, end=end)


def as_piece(records: list[Stored]) -> RawPiece:
    return RawPiece(
        [record.offset for record in records],
        [record.at_ms * 1_000 for record in records],
        [record.value or b"" for record in records],
    )


@given(logs(), some.data())
def test_every_log_reads_as_the_client_reads_it_from_any_offset_to_any(
    log: Log, data: some.DataObject
) -> None:
    records = read_by_client(b"".join(log.plain))
    first, last = records[0].offset, records[-1].offset
    start = data.draw(some.integers(max(0, first - 2), last + 2))
    end = data.draw(some.integers(start, last + 3))
    piece, behind = read(b"".join(log.stored), start=start, end=end)
    assert piece == as_piece([record for record in records if start <= record.offset < end])
    assert behind == start or start < behind <= last + 1
    assert behind >= min(end, last + 1)


@given(logs(), some.data())
def test_keys_and_the_header_with_the_facts_are_read_for_who_asks(
    log: Log, data: some.DataObject
) -> None:
    records = read_by_client(b"".join(log.plain))
    start = data.draw(some.integers(records[0].offset, records[-1].offset))
    wanted = [record for record in records if record.offset >= start]
    whole = WholePiece([], [], [])
    read_batches(b"".join(log.stored), whole, start=start, end=THE_END)
    keys, values, found = (pa.concat_arrays(column).to_pylist() for column in whole)
    assert keys == [record.key or b"" for record in wanted]
    assert values == [record.value or b"" for record in wanted]
    facts = [[value for name, value in record.headers if name == FACTS] for record in wanted]
    assert found == [values[0] or b"" if values else None for values in facts]


@given(logs(), some.data())
def test_what_a_fetch_cuts_off_is_left_for_the_next_one(log: Log, data: some.DataObject) -> None:
    fetched = b"".join(log.stored)
    cut = data.draw(some.integers(0, len(fetched)))
    ends = [len(b"".join(log.stored[: at + 1])) for at in range(len(log.stored))]
    whole = sum(end <= cut for end in ends)
    piece, behind = read(fetched[:cut])
    assert piece == as_piece(read_by_client(b"".join(log.plain[:whole])))
    read_batches(b"".join(log.stored[whole:]), piece, start=behind, end=THE_END)
    assert piece == as_piece(read_by_client(b"".join(log.plain)))


@pytest.mark.parametrize("codec", CODECS)
def test_every_codec_reads_the_same(codec: str) -> None:
    records = [Stored(at, b"%d" % at * (at % 50), at_ms=at) for at in range(2_000)]
    plain = built(records)
    assert read(compressed(plain, codec)) == (as_piece(records), 2_000)


def test_a_value_that_is_not_there_is_empty_and_one_of_a_megabyte_is_whole() -> None:
    values = (None, b"", b"v" * 1_100_000, b"behind")
    piece, _ = read(built(Stored(at, value) for at, value in enumerate(values)))
    assert piece.values == [b"", b"", b"v" * 1_100_000, b"behind"]


def test_the_brokers_time_is_that_of_the_whole_batch_and_a_writers_time_its_own() -> None:
    batch = built([Stored(0, b"a", at_ms=7), Stored(1, b"b", at_ms=9), Stored(2, b"c", at_ms=8)])
    assert read(batch)[0].captured_at == [7_000, 9_000, 8_000]
    assert read(resealed(batch, attributes=BROKERS_TIME))[0].captured_at == [9_000] * 3


def test_markers_and_batches_that_compaction_emptied_have_offsets_and_no_records() -> None:
    marker = resealed(built([Stored(1, b"", b"\0\0\0\1")], base=1), attributes=CONTROL)
    emptied = resealed(built([Stored(4, b"gone")], base=2), count=0, body=lambda _: b"")
    log = built([Stored(0, b"before")]) + marker + emptied + built([Stored(5, b"behind")], base=5)
    assert read(log) == (RawPiece([0, 5], [1_000_000] * 2, [b"before", b"behind"]), 6)
    assert read(marker + emptied, start=1) == (RawPiece([], [], []), 5)


def test_the_checksum_is_the_one_that_everybody_has() -> None:
    assert checksum(b"123456789") == checksum(memoryview(b"123456789")) == 0xE3069283


@given(logs(), some.data())
def test_a_byte_that_is_not_what_was_written_is_seen(log: Log, data: some.DataObject) -> None:
    """Only the offset, the length and the leader's epoch are not summed up, nor the format."""
    number = data.draw(some.integers(0, len(log.stored) - 1))
    batch = log.stored[number]
    at = data.draw(some.integers(0, len(batch) - 1))
    damaged = [*log.stored]
    damaged[number] = flipped(batch, at, data.draw(some_bits))
    piece = RawPiece([], [], [])
    try:
        read_batches(b"".join(damaged), piece, start=0, end=THE_END)
    except RecordError:
        assert piece == as_piece(read_by_client(b"".join(log.plain[:number])))
    else:
        assert at < CHECKSUM_AT


@pytest.mark.parametrize("records", [1, 3])
def test_no_bit_of_a_head_is_believed_that_is_not_what_was_written(records: int) -> None:
    batch = built([Stored(at, b"value") for at in range(records)])
    for at in range(CHECKSUM_AT, HEAD.size):
        for bit in range(8):
            with pytest.raises(RecordError, match="checksum"):
                read(flipped(batch, at, 1 << bit))


@pytest.mark.parametrize(("start", "attributes"), [(0, 0), (0, CONTROL), (9, 0)])
@pytest.mark.parametrize("length", [-(2**31), -100, -12, -1, 0, HEAD.size - 13])
@pytest.mark.timeout(10)
def test_a_length_that_no_batch_has_is_damage(length: int, attributes: int, start: int) -> None:
    batch = resealed(BATCH, attributes=attributes)
    damaged = batch[:8] + struct.pack(">i", length) + batch[12:]
    with pytest.raises(RecordError):
        read(damaged + BATCH, start=start)


@given(some_codec, some.data())
def test_damage_that_was_summed_up_too_is_seen_or_gives_other_records(
    codec: str, data: some.DataObject
) -> None:
    batch = compressed(BATCH, codec)
    at = data.draw(some.integers(0, len(batch) - HEAD.size - 1))
    bits = data.draw(some_bits)
    gives_records_or_says_no(resealed(batch, body=lambda body: flipped(body, at, bits)))


@given(some.integers(0, 63), some.binary(max_size=100), some.integers(-2, 100))
def test_any_bytes_for_records_are_refused_or_read(
    attributes: int, body: bytes, count: int
) -> None:
    gives_records_or_says_no(
        resealed(BATCH, attributes=attributes, count=count, body=lambda _: body)
    )


@pytest.mark.parametrize("places", [("key",), ("value",), ("key", "value")])
def test_the_largest_length_is_damage(places: tuple[str, ...]) -> None:
    most = b"\xfe" + b"\xff" * 7 + b"\x7f"
    key, value = (most if name in places else b"\x00" for name in ("key", "value"))
    record = b"\x00\x00\x00" + key + value + b"\x00"
    body = (bytes([len(record) << 1]) + record) * 2
    damaged = resealed(BATCH, count=2, body=lambda _: body)
    for piece in (RawPiece([], [], []), WholePiece([], [], [])):
        with pytest.raises(RecordError, match="damaged"):
            read_batches(damaged, piece, start=0, end=THE_END)


@given(some.binary(max_size=200))
def test_any_bytes_at_all_are_refused_or_read(fetched: bytes) -> None:
    gives_records_or_says_no(fetched)


def gives_records_or_says_no(fetched: bytes) -> None:
    piece = RawPiece([], [], [])
    whole = WholePiece([], [], [])
    try:
        read_batches(fetched, piece, start=0, end=THE_END)
    except RecordError:
        with pytest.raises(RecordError):
            read_batches(fetched, whole, start=0, end=THE_END)
        return
    try:
        read_batches(fetched, whole, start=0, end=THE_END)
    except RecordError:
        return  # it looks at headers too
    for column in whole:
        for array in column:
            array.validate(full=True)
        assert sum(map(len, column)) == len(piece.values) == len(piece.offsets)


@pytest.mark.parametrize("codec", ["gzip", "snappy", "framed snappy", "lz4", "zstandard"])
@pytest.mark.parametrize("kept", [0, 3, 10, -1])
def test_a_body_that_cannot_be_unpacked_is_damage(codec: str, kept: int) -> None:
    batch = compressed(BATCH, codec)
    for damaged in (
        resealed(batch, body=lambda body: body[:kept]),
        resealed(batch, body=lambda body: b"\xff" * 12 + body),
    ):
        with pytest.raises(RecordError, match="the batch at offset 0 is damaged"):
            read(damaged)


def test_a_codec_that_nobody_knows_is_damage() -> None:
    with pytest.raises(RecordError, match="damaged"):
        read(resealed(BATCH, attributes=7))


@pytest.mark.parametrize("written_in", [0, 1])
def test_the_format_of_a_broker_of_old_is_named(written_in: int) -> None:
    builder = MemoryRecordsBuilder(magic=written_in, compression_type=0, batch_size=1 << 20)
    builder.append(1_000, b"key", b"value" * 20)
    builder.close()
    with pytest.raises(RecordError, match=f"message format {written_in}, not 2.*older than 0.11"):
        read(bytes(builder.buffer()))
