"""The function that Spark calls, with Spark's own state class and no JVM."""

from __future__ import annotations

from typing import Any, cast

import pandas as pd
from pyspark.sql.streaming.state import GroupState, GroupStateTimeout
from pyspark.sql.types import BinaryType, Row, StructField, StructType

from ordering.policy import GroupPolicy
from ordering_udfs import host
from ordering_udfs.host import chunks, ordering_function
from ordering_udfs.shard import KeyedRecord
from ordering_udfs.shard_state import decode_state
from sinks.records import decode_counters, decode_ordered
from sinks.topics import Topics
from tests.messages import wire

TOPICS = Topics.with_prefix("t")


def new_state(maybe_value: Row | None = None) -> Any:
    return GroupState(
        optionalValue=cast(Row, maybe_value),
        batchProcessingTimeMs=0,
        eventTimeWatermarkMs=0,
        timeoutConf=GroupStateTimeout.NoTimeout,
        hasTimedOut=False,
        watermarkPresent=False,
        defined=maybe_value is not None,
        updated=False,
        removed=False,
        timeoutTimestamp=-1,
        keyAsUnsafe=b"",
        valueSchema=StructType([StructField("state", BinaryType())]),
    )


def frame(first_offset: int, *values: bytes | None) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "partition": [0] * len(values),
            "offset": range(first_offset, first_offset + len(values)),
            "captured_at": [5] * len(values),
            "value": list(values),
        }
    )


def order(frames: list[pd.DataFrame], state: Any) -> dict[str, list[bytes]]:
    function = ordering_function(policy=GroupPolicy(), partitions=1, topics=TOPICS)
    found: dict[str, list[bytes]] = {}
    for chunk in function((0,), frames, state):
        for row in chunk.itertuples():
            assert len(row.keys) == len(row.values)
            found.setdefault(row.topic, []).extend(row.values)
    return found


def test_two_batches_are_joined_by_the_state() -> None:
    state = new_state()
    first = order([frame(0, wire("b", 1, ("a", 1)))], state)
    assert TOPICS.ordered not in first
    assert decode_counters(first[TOPICS.counters][0]).held == 1
    saved = Row("state")(state.get[0])
    second = order([frame(1, wire("a", 1))], new_state(saved))
    assert [decode_ordered(value).position for value in second[TOPICS.ordered]] == [1, 2]
    assert decode_counters(second[TOPICS.counters][0]).held == 0


def test_several_frames_of_one_key_are_one_batch() -> None:
    state = new_state()
    found = order([frame(0, wire("a", 1)), frame(0), frame(1, wire("a", 2))], state)
    assert len(found[TOPICS.ordered]) == 2
    assert decode_state(state.get[0]).through_offset == 1


def test_a_record_without_a_value_is_quarantined_like_any_bytes() -> None:
    found = order([frame(0, None, b"x")], new_state())
    assert len(found[TOPICS.quarantine]) == 2


def test_chunks_keep_both_bounds_and_lose_nothing(monkeypatch: Any) -> None:
    monkeypatch.setattr(host, "MAXIMUM_CHUNK_RECORDS", 3)
    monkeypatch.setattr(host, "MAXIMUM_CHUNK_BYTES", 10)
    records = [KeyedRecord(b"", bytes(size)) for size in (1, 1, 1, 1, 9, 2, 50, 1)]
    cut = list(chunks(records))
    assert [record for piece in cut for record in piece] == records
    assert [len(piece) for piece in cut] == [3, 2, 1, 1, 1]
    assert list(chunks([])) == []
