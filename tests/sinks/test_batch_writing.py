"""What we write, Kafka's own client and our own reader read as it was given."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import lz4.frame
import pytest
from hypothesis import given
from hypothesis import strategies as some
from kafka.record.memory_records import MemoryRecords

from sinks import batch_writing
from sinks.batch_writing import NO_HEADERS, Batch, Records, header_block, write_batches
from sinks.record_batches import RawPiece, read_batches
from tests.sinks.record_bytes import HEAD, Stored, placed, read_by_client

AT_MS = 1_700_000_000_123
BASE = 5_000_000_000
some_headers = some.lists(
    some.tuples(some.text(max_size=8), some.binary(max_size=200)), max_size=70
)
some_records = some.lists(
    some.tuples(some.sampled_from([b"", b"g", b"k" * 64]) | some.binary(max_size=9),
                some.binary(max_size=200), some_headers),
    max_size=30,
)  # fmt: skip


def written(records: Records, *, most_bytes: int) -> list[Batch]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(batch_writing, "BATCH_BYTES", most_bytes)
        return list(write_batches(records, at_ms=AT_MS))


def as_stored(batches: list[Batch]) -> bytes:
    """As the broker keeps them: at offsets that count on."""
    return b"".join(placed(batch.content, BASE + batch.begin) for batch in batches)


def block_of(headers: Sequence[tuple[str, bytes]]) -> bytes:
    return header_block((name.encode(), value) for name, value in headers)


@given(some_records, some.sampled_from([1, 200, 900_000]), some.data())
def test_all_records_are_read_as_they_were_given(
    drawn: list[tuple[bytes, bytes, list[tuple[str, bytes]]]],
    most_bytes: int,
    data: some.DataObject,
) -> None:
    keys, values = [key for key, _, _ in drawn], [value for _, value, _ in drawn]
    records = Records(keys, values, [block_of(headers) for *_, headers in drawn])
    log = as_stored(written(records, most_bytes=most_bytes))
    assert read_by_client(log) == [
        Stored(BASE + at, value, key, AT_MS, tuple(headers))
        for at, (key, value, headers) in enumerate(drawn)
    ]
    start = data.draw(some.integers(0, len(drawn)))
    end = data.draw(some.integers(start, len(drawn)))
    piece = RawPiece([], [], [])
    read_batches(log, piece, start=BASE + start, end=BASE + end)
    assert piece == RawPiece(
        list(range(BASE + start, BASE + end)), [AT_MS * 1_000] * (end - start), values[start:end]
    )


@given(some.lists(some.binary(max_size=300), max_size=30), some.integers(1, 2_000))
def test_batches_follow_one_another_and_hold_what_they_may(
    values: list[bytes], most_bytes: int
) -> None:
    batches = written(Records([b"k"] * len(values), values, None), most_bytes=most_bytes)
    assert [batch.begin for batch in batches] == [0, *(batch.end for batch in batches)][:-1]
    assert not batches or batches[-1].end == len(values)
    for batch in batches:
        held = values[batch.begin : batch.end]
        assert len(read_by_client(batch.content)) == len(held) > 0
        assert len(held) == 1 or sum(map(len, held)) <= most_bytes


def test_records_without_headers_have_none() -> None:
    (batch,) = write_batches(Records([b"k"], [b"v"], None), at_ms=AT_MS)
    assert read_by_client(batch.content) == [Stored(0, b"v", b"k", AT_MS, ())]
    assert header_block([]) == NO_HEADERS


def test_a_batch_says_who_wrote_it_and_how_as_kafka_asks() -> None:
    """Java reads only frames whose blocks stand each for itself."""
    values = [b"%d" % at for at in range(100_000)]
    (batch,) = MemoryRecords(next(written_by_default(values)).content)
    assert (batch.compression_type, batch.timestamp_type) == (3, 0)
    assert (batch.producer_id, batch.producer_epoch, batch.base_sequence) == (-1, -1, -1)
    assert (batch.first_timestamp, batch.max_timestamp) == (AT_MS, AT_MS)
    assert not batch.is_transactional
    assert not batch.is_control_batch
    for one in written_by_default(values):
        frame = lz4.frame.get_frame_info(one.content[HEAD.size :])
        assert not frame["block_linked"]
        assert len(lz4.frame.decompress(one.content[HEAD.size :])) > frame["block_size"]


def written_by_default(values: list[bytes]) -> Iterator[Batch]:
    return write_batches(Records([b""] * len(values), values, None), at_ms=AT_MS)


def test_a_piece_of_records_has_their_headers() -> None:
    records = Records([b"a", b"b", b"c"], [b"1", b"2", b"3"], [b"\x00", b"\x01", b"\x02"])
    assert records.piece(1, 3) == Records([b"b", b"c"], [b"2", b"3"], [b"\x01", b"\x02"])
    assert Records([b"a"], [b"1"], None).piece(0, 1) == Records([b"a"], [b"1"], None)
