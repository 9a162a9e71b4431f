"""The function that Spark calls, with Spark's own state class and no JVM."""

from __future__ import annotations

from typing import Any, cast

import pandas as pd
from pyspark.serializers import CloudPickleSerializer
from pyspark.sql.streaming.state import GroupState, GroupStateTimeout
from pyspark.sql.types import BinaryType, Row, StructField, StructType

from ordering.policy import GroupPolicy
from ordering_udfs import host, warm_shards
from ordering_udfs.group_policies import GroupPolicies
from ordering_udfs.host import chunks, ordering_function
from ordering_udfs.outputs import Records
from ordering_udfs.shard import Shard
from ordering_udfs.shard_state import ShardState, decode_state
from sinks.cloud_events import FACTS, OrderedFormat, envelope_form
from sinks.event_columns import SENT, STEM
from sinks.records import decode_counters, decode_ordered, decode_quarantine
from sinks.shards import Shards
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
    function = ordering_function(
        policies=GroupPolicies(GroupPolicy()), shards=Shards.of({"raw": 1}), topics=TOPICS
    )
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


def test_each_copy_that_travels_finds_the_shard_that_the_last_one_kept(monkeypatch: Any) -> None:
    """Spark sends the function to its workers with every batch."""
    decoded: list[bytes] = []

    def decode(encoded: bytes) -> ShardState:
        decoded.append(encoded)
        return decode_state(encoded)

    monkeypatch.setattr(warm_shards, "decode_state", decode)
    topics = Topics.with_prefix("travelling")
    serializer: Any = CloudPickleSerializer()
    travelling = serializer.dumps(
        ordering_function(
            policies=GroupPolicies(GroupPolicy()), shards=Shards.of({"raw": 1}), topics=topics
        )
    )
    state = new_state()
    for offset in range(3):
        function = serializer.loads(travelling)
        (given,) = function((0,), [frame(offset, wire("a", offset + 1))], state)
        assert topics.ordered in set(given["topic"])
    assert len(decoded) == 1


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
    records = Records()
    for number, size in enumerate((1, 1, 1, 1, 9, 2, 50, 1)):
        records.add(b"%d" % number, bytes(size))
    cut = list(chunks(records))
    assert [key for keys, _ in cut for key in keys] == records.keys
    assert [value for _, values in cut for value in values] == records.values
    for keys, values in cut:
        assert 1 <= len(keys) == len(values) <= 3
        assert len(keys) == 1 or sum(map(len, keys)) + sum(map(len, values)) <= 10
    assert list(chunks(Records())) == []


def test_cloud_events_are_the_same_records_with_headers_and_other_topics_have_none() -> None:
    values = (wire("a", 1), wire("b", 1, ("a", 1)), b"junk")
    plain = order([frame(0, *values)], new_state())
    function = ordering_function(
        policies=GroupPolicies(GroupPolicy()),
        shards=Shards.of({"raw": 1}),
        topics=TOPICS,
        ordered_format=OrderedFormat.CLOUDEVENTS,
    )
    found: dict[str, list[bytes]] = {}
    (chunks_of_all,) = function((0,), [frame(0, *values)], new_state())
    assert list(chunks_of_all.columns) == ["topic", "partition", "keys", "values", STEM, *SENT]
    for _, row in chunks_of_all.iterrows():
        if row["topic"] != TOPICS.ordered:
            assert all(len(row[name]) == 0 for name in SENT)
            found[row["topic"]] = row["values"]
            continue
        events = zip(row["values"], row[FACTS], strict=True)
        found[row["topic"]] = [envelope_form(value, [(FACTS, facts)]) for value, facts in events]
        assert list(row["ce_parent"]) == [None, b"a#1:1"]
    assert found == plain


def test_a_cloud_event_names_the_raw_topic_of_its_own_shard() -> None:
    function = ordering_function(
        policies=GroupPolicies(GroupPolicy()),
        shards=Shards.of({"raw": 1, "other": 1}),
        topics=TOPICS,
        ordered_format=OrderedFormat.CLOUDEVENTS,
    )
    first, *_ = function((0,), [frame(0, wire("a", 1)).assign(partition=1)], new_state())
    assert first.iloc[0][STEM] == b"/other/"


def test_a_batch_that_fails_is_done_again_carefully(monkeypatch: Any) -> None:
    receive = Shard.receive

    def failing(self: Shard, rows: Any, *, poisoned: Any = None) -> None:
        if any(b"poison" in value for value in rows.values) and not poisoned:
            raise RuntimeError("planted")
        receive(self, rows, poisoned=poisoned)

    monkeypatch.setattr(Shard, "receive", failing)
    state = new_state()
    found = order([frame(0, wire("a", 1), b"poison", wire("a", 2))], state)
    assert len(found[TOPICS.ordered]) == 2
    (refused,) = (decode_quarantine(value) for value in found[TOPICS.quarantine])
    assert (refused.reason, refused.captured) == ("unprocessable", b"poison")
    assert decode_counters(found[TOPICS.counters][0]).reasons == {"unprocessable": 1}
    saved = Row("state")(state.get[0])
    second = order([frame(3, wire("a", 3))], new_state(saved))
    assert [decode_ordered(value).position for value in second[TOPICS.ordered]] == [3]
