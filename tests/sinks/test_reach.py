"""A glance at the heads says what a careful reader of the records would say."""

from __future__ import annotations

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as some

from sinks.reach import Reach, pieces, reaches
from sinks.records import HEAD_BYTES, MarkBits, OrderedRecord, Origin, encode_ordered

Records = list[tuple[str, bytes]]


def head(ordinal: int, partition: int = 0) -> bytes:
    record = OrderedRecord(ordinal, 3, partition, Origin(1, 0, 0), MarkBits.LATE, b"")
    return encode_ordered(record)[:HEAD_BYTES]


def looked_over(*tasks: Records, rows_at_once: int = 100) -> dict[str, dict[int, Reach]]:
    found: list[tuple[object, ...]] = []
    for records in tasks:
        topics, heads = zip(*records, strict=True) if records else ((), ())
        batch = pa.RecordBatch.from_arrays(
            [pa.array(topics, pa.string()), pa.array(heads, pa.binary())], ["topic", "head"]
        )
        starts = range(0, len(records), rows_at_once)
        for piece in pieces(batch.slice(start, rows_at_once) for start in starts):
            found += [tuple(row.values()) for row in piece.to_pylist()]
    return reaches(found)


def test_each_partition_of_each_topic_has_its_reach() -> None:
    ordered = [("o", head(5)), ("o", head(6)), ("o", head(9, 1)), ("o", head(7))]
    waits = [("w", head(1))]
    assert looked_over(ordered, waits) == {
        "o": {0: Reach(5, 7, False), 1: Reach(9, 9, False)},
        "w": {0: Reach(1, 1, False)},
    }


def test_repeats_are_seen_within_a_piece_and_between_pieces() -> None:
    again = [("o", head(one)) for one in (5, 6, 5, 6, 7)]
    assert looked_over(again) == {"o": {0: Reach(5, 7, True)}}
    assert looked_over(again, rows_at_once=2) == {"o": {0: Reach(5, 7, True)}}
    assert looked_over(again[:2], again[2:]) == {"o": {0: Reach(5, 7, True)}}
    hidden = [("o", head(one)) for one in (5, 7, 7)]
    assert looked_over(hidden) == {"o": {0: Reach(5, 7, True)}}


def test_a_topic_with_nothing_of_ours_is_there_and_reaches_nowhere() -> None:
    foreign = [b"", b"junk", head(1)[:-1], b"x" * HEAD_BYTES, head(0)]
    assert looked_over([("o", one) for one in foreign]) == {"o": {}}
    assert looked_over([("o", b"junk"), ("o", head(1))]) == {"o": {0: Reach(1, 1, False)}}
    assert looked_over([]) == {}


@given(some.lists(some.tuples(some.integers(0, 2), some.integers(1, 9))), some.integers(1, 4))
def test_it_agrees_with_a_set_of_ordinals(log: list[tuple[int, int]], rows_at_once: int) -> None:
    found = looked_over(
        [("o", head(ordinal, at)) for at, ordinal in log], rows_at_once=rows_at_once
    )
    for partition in {at for at, _ in log}:
        ordinals = [ordinal for at, ordinal in log if at == partition]
        lowest, highest, has_repeats = found["o"][partition]
        assert (lowest, highest) == (min(ordinals), max(ordinals))
        assert has_repeats >= (len(set(ordinals)) < len(ordinals))
        assert has_repeats <= (ordinals != sorted(set(ordinals)))
