"""Records round-trip, and foreign bytes are refused with what is wrong."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sinks.errors import RecordError
from sinks.records import (
    Counters,
    MarkBits,
    OrderedRecord,
    Origin,
    QuarantineRecord,
    decode_counters,
    decode_ordered,
    decode_quarantine,
    encode_counters,
    encode_ordered,
    encode_quarantine,
    total_counters,
)

LONG = st.integers(0, 2**63 - 1)
SHORT = st.integers(0, 2**31 - 1)
ORIGINS = st.builds(Origin, offset=LONG, entry=SHORT, captured_at=LONG)
ORDERED = st.builds(
    OrderedRecord,
    ordinal=LONG,
    position=LONG,
    partition=SHORT,
    origin=ORIGINS,
    marks=st.sampled_from([MarkBits.NONE, MarkBits.LATE, MarkBits.LATE | MarkBits.PARENT_MISSING]),
    envelope=st.binary(),
)
QUARANTINED = st.builds(
    QuarantineRecord,
    ordinal=LONG,
    partition=SHORT,
    origin=ORIGINS,
    reason=st.text(max_size=20),
    detail=st.text(max_size=50),
    captured=st.binary(),
)


@given(ORDERED)
def test_an_ordered_record_reads_as_it_was_written(record: OrderedRecord) -> None:
    assert decode_ordered(encode_ordered(record)) == record


@given(QUARANTINED)
def test_a_quarantine_record_reads_as_it_was_written(record: QuarantineRecord) -> None:
    assert decode_quarantine(encode_quarantine(record)) == record


@given(st.binary())
def test_any_bytes_give_a_record_or_a_record_error(value: bytes) -> None:
    for decode in (decode_ordered, decode_quarantine, decode_counters):
        try:
            decode(value)
        except RecordError:
            continue


@given(QUARANTINED, st.integers(0, 200))
def test_a_cut_quarantine_record_never_raises_anything_else(
    record: QuarantineRecord, kept: int
) -> None:
    try:
        decode_quarantine(encode_quarantine(record)[:kept])
    except RecordError:
        return


def test_a_record_of_another_topic_is_refused() -> None:
    record = OrderedRecord(1, 1, 0, Origin(0, 0, 0), MarkBits.NONE, b"")
    with pytest.raises(RecordError, match="another topic"):
        decode_quarantine(encode_ordered(record))


def test_a_record_of_a_later_version_says_what_to_do() -> None:
    value = bytearray(encode_ordered(OrderedRecord(1, 1, 0, Origin(0, 0, 0), MarkBits.NONE, b"")))
    value[4] = 9
    with pytest.raises(RecordError, match="version 9, this program reads version 1"):
        decode_ordered(bytes(value))


def test_counters_read_as_they_were_written() -> None:
    counters = Counters(3, 17, 10, 6, 2, 1, 1, 4)
    assert decode_counters(encode_counters(counters)) == counters


@pytest.mark.parametrize("value", [b"[]", b"{}", b"nonsense", b'{"partition": "x"}', b"\xff"])
def test_other_json_is_no_counters_record(value: bytes) -> None:
    with pytest.raises(RecordError):
        decode_counters(value)


def test_the_total_of_partitions_is_their_sum_and_the_oldest_of_all() -> None:
    one = Counters(0, 9, captured=5, delivered=3, oldest_held_at=70, reasons={"forged": 1})
    two = Counters(1, 4, captured=2, held=2, oldest_held_at=50, reasons={"forged": 2, "cycle": 1})
    total = total_counters([one, two, Counters(2)])
    assert total == Counters(
        -1, captured=7, delivered=3, held=2, oldest_held_at=50, reasons={"forged": 3, "cycle": 1}
    )
