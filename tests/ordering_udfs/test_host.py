"""The function that Spark calls, with Spark's own state class, no JVM and a broker in memory."""

from __future__ import annotations

from typing import Any, cast

import pandas as pd
import pytest
from pyspark.serializers import CloudPickleSerializer
from pyspark.sql.streaming.state import GroupState, GroupStateTimeout
from pyspark.sql.types import BinaryType, Row, StructField, StructType

from ordering.policy import GroupPolicy
from ordering_udfs import warm_shards
from ordering_udfs.group_policies import GroupPolicies
from ordering_udfs.host import INPUT_COLUMNS, Broker, OrderingFunction, ordering_function
from ordering_udfs.shard import Shard
from ordering_udfs.shard_state import ShardState, decode_state
from sinks.cloud_events import OrderedFormat, envelope_form
from sinks.errors import DestinationError
from sinks.records import decode_counters, decode_ordered, decode_quarantine
from sinks.shards import Place, Shards
from sinks.topics import Topics
from tests.messages import wire
from tests.ordering_udfs.brokers import ListedBroker, headers_of
from tests.ordering_udfs.shards import rows

TOPICS = Topics.with_prefix("t")
ONE = Shards.of({"raw": 1})


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


def as_spark_has_it(state: Any) -> Any:
    """The state of the next batch: the bytes of this one's."""
    return new_state(Row("state")(state.get[0]))


def stretch(begin: int, end: int, *, shard: int = 0) -> pd.DataFrame:
    return pd.DataFrame([(shard, begin, end)], columns=list(INPUT_COLUMNS))


def function_of(
    broker: Broker,
    *,
    topics: Topics = TOPICS,
    shards: Shards = ONE,
    ordered_format: OrderedFormat = OrderedFormat.ENVELOPE,
) -> OrderingFunction:
    return ordering_function(
        policies=GroupPolicies(GroupPolicy()),
        shards=shards,
        topics=topics,
        broker=broker,
        ordered_format=ordered_format,
    )


def order(*values: bytes, **chosen: Any) -> ListedBroker:
    """One batch of a whole log."""
    broker = ListedBroker(rows(*values))
    list(function_of(broker, **chosen)((0,), [stretch(0, len(values))], new_state()))
    return broker


def test_two_batches_are_joined_by_the_state() -> None:
    broker = ListedBroker(rows(wire("b", 1, ("a", 1)), wire("a", 1)))
    state = new_state()
    function = function_of(broker)
    list(function((0,), [stretch(0, 1)], state))
    first = broker.values()
    assert TOPICS.ordered not in first
    assert decode_counters(first[TOPICS.counters][-1]).held == 1
    list(function((0,), [stretch(1, 2)], as_spark_has_it(state)))
    second = broker.values()
    assert [decode_ordered(value).position for value in second[TOPICS.ordered]] == [1, 2]
    assert decode_counters(second[TOPICS.counters][-1]).held == 0


def test_each_copy_that_travels_finds_the_shard_that_the_last_one_kept(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Spark sends the function to its workers with every batch."""
    decoded = count_decoded(monkeypatch)
    serializer: Any = CloudPickleSerializer()
    log = rows(*(wire("a", seq) for seq in range(1, 4)))
    function = function_of(ListedBroker(log), topics=Topics.with_prefix("travelling"))
    travelling = serializer.dumps(function)
    state = new_state()
    for offset in range(3):
        list(serializer.loads(travelling)((0,), [stretch(offset, offset + 1)], state))
        assert decode_state(state.get[0]).through_offset == offset
    assert len(decoded) == 1


def count_decoded(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """Note every state that is read from its bytes, and not found in memory."""
    decoded: list[bytes] = []

    def decode(encoded: bytes) -> ShardState:
        decoded.append(encoded)
        return decode_state(encoded)

    monkeypatch.setattr(warm_shards, "decode_state", decode)
    return decoded


def test_several_stretches_of_one_shard_are_one_batch_and_one_row_says_how_far_it_came() -> None:
    broker = ListedBroker(rows(*(wire("a", seq) for seq in range(1, 6))))
    state = new_state()
    function = function_of(broker)
    frames = [stretch(3, 4), stretch(0, 0)[:0], pd.concat([stretch(2, 3), stretch(0, 2)])]
    (told,) = function((0,), frames, state)
    assert told.to_dict("records") == [{"partition": 0, "through_offset": 3}]
    assert len(broker.topics[TOPICS.ordered]) == 4
    assert len(broker.topics[TOPICS.counters]) == 1
    assert decode_state(state.get[0]).through_offset == 3


def test_a_record_without_a_value_is_quarantined_like_any_bytes() -> None:
    assert len(order(b"", b"x").topics[TOPICS.quarantine]) == 2


def test_a_shard_is_read_from_its_place_and_written_into_its_own_partition() -> None:
    broker = ListedBroker(rows(wire("b", 1, ("x", 9)), b"junk", wire("a", 1)))
    function = function_of(broker, shards=Shards.of({"raw": 2, "other": 3}))
    list(function((7,), [stretch(0, 3, shard=4)], new_state()))
    assert broker.asked == [Place("other", 2, 3)]
    written = [record for records in broker.topics.values() for record in records]
    assert {record.partition for record in written} == {4}
    assert [record.key for record in broker.topics[TOPICS.counters]] == [b"4"]


def test_cloud_events_are_the_same_records_with_headers_and_other_topics_have_none() -> None:
    values = (wire("a", 1), wire("b", 1, ("a", 1)), b"junk")
    plain = order(*values).topics
    found = order(*values, ordered_format=OrderedFormat.CLOUDEVENTS).topics
    events = found.pop(TOPICS.ordered)
    assert [
        one._replace(
            value=envelope_form(one.value, headers_of(one.maybe_headers or b"")), maybe_headers=None
        )
        for one in events
    ] == plain.pop(TOPICS.ordered)
    parents = [headers_of(one.maybe_headers or b"").get("ce_parent") for one in events]
    assert parents == [None, b"a#1:1"]
    assert found == plain
    assert all(one.maybe_headers is None for each in found.values() for one in each)


def test_a_cloud_event_names_the_raw_topic_of_its_own_shard() -> None:
    broker = ListedBroker(rows(wire("a", 1)))
    function = function_of(
        broker,
        shards=Shards.of({"raw": 1, "other": 1}),
        ordered_format=OrderedFormat.CLOUDEVENTS,
    )
    list(function((0,), [stretch(0, 1, shard=1)], new_state()))
    (event,) = broker.topics[TOPICS.ordered]
    assert headers_of(event.maybe_headers or b"")["ce_source"] == b"/other/g"


@pytest.mark.parametrize("refused", [TOPICS.ordered, TOPICS.quarantine, TOPICS.counters])
def test_when_a_write_fails_nothing_is_kept_and_the_batch_comes_to_the_same_again(
    monkeypatch: pytest.MonkeyPatch, refused: str
) -> None:
    values = (wire("a", 1), wire("b", 1, ("a", 2)), wire("a", 2), b"junk", wire("b", 2))
    whole = ListedBroker(rows(*values))
    broker = ListedBroker(rows(*values))
    for one in (whole, broker):
        state = new_state()
        list(function_of(one)((0,), [stretch(0, 2)], state))
    before = {topic: list(records) for topic, records in broker.topics.items()}
    decoded = count_decoded(monkeypatch)
    state, saved = as_spark_has_it(state), state.get[0]
    broker.maybe_refused = refused
    with pytest.raises(DestinationError):
        list(function_of(broker)((0,), [stretch(2, 5)], state))
    assert state.get[0] == saved
    broker.maybe_refused, broker.topics = None, before
    decoded.clear()
    list(function_of(broker)((0,), [stretch(2, 5)], state))
    assert decoded == [saved], "the shard that went on in memory was dropped"
    again = as_spark_has_it(new_state(Row("state")(saved)))
    list(function_of(whole)((0,), [stretch(2, 5)], again))
    assert broker.topics == whole.topics
    assert state.get[0] == again.get[0]


def failing_on(bytes_: bytes) -> Any:
    """A shard's `receive` that fails on some bytes, until it is told that they are poison."""
    receive = Shard.receive

    def failing(self: Shard, rows: Any, *, poisoned: Any = None) -> None:
        if any(bytes_ in value for value in rows.values) and not poisoned:
            raise RuntimeError("planted")
        receive(self, rows, poisoned=poisoned)

    return failing


def test_a_batch_that_fails_is_done_again_carefully(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Shard, "receive", failing_on(b"poison"))
    broker = ListedBroker(rows(wire("a", 1), b"poison", wire("a", 2), wire("a", 3)))
    state = new_state()
    list(function_of(broker)((0,), [stretch(0, 3)], state))
    found = broker.values()
    assert len(found[TOPICS.ordered]) == 2
    (refused,) = (decode_quarantine(value) for value in found[TOPICS.quarantine])
    assert (refused.reason, refused.captured) == ("unprocessable", b"poison")
    assert decode_counters(found[TOPICS.counters][0]).reasons == {"unprocessable": 1}
    list(function_of(broker)((0,), [stretch(3, 4)], as_spark_has_it(state)))
    assert decode_ordered(broker.values()[TOPICS.ordered][-1]).position == 3


@pytest.mark.parametrize("piece_records", [1, 2, 3])
def test_however_a_batch_is_cut_into_pieces_its_records_are_the_same(piece_records: int) -> None:
    log = (wire("b", 1, ("a", 1)), b"junk", wire("a", 1), wire("a", 2, ("b", 1)), wire("c", 1))
    broker = ListedBroker(rows(*log), piece_records=piece_records)
    list(function_of(broker)((0,), [stretch(0, len(log))], new_state()))
    assert broker.values() == order(*log).values()


def test_what_was_written_before_a_piece_failed_comes_again_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    log = rows(wire("a", 1), wire("a", 2), b"poison", wire("a", 3))
    monkeypatch.setattr(Shard, "receive", failing_on(b"poison"))
    broker = ListedBroker(log, piece_records=2)
    list(function_of(broker)((0,), [stretch(0, 4)], new_state()))
    found = [decode_ordered(value).ordinal for value in broker.values()[TOPICS.ordered]]
    assert found == [1, 2, 1, 2, 3]
    assert len(set(broker.values()[TOPICS.ordered])) == 3
