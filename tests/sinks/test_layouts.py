"""The described fields are those that the code writes."""

from __future__ import annotations

import json

from sinks.layouts import (
    AFTER_THE_HEAD,
    COUNTERS_FIELDS,
    GAP_FIELDS,
    HEAD_FIELDS,
    WAIT_FIELDS,
)
from sinks.records import HEAD, HEAD_BYTES, Counters, Origin, encode_counters
from sinks.tables import TABLES
from sinks.topics import Topics
from sinks.waits import (
    GapRecord,
    GapStatus,
    Sought,
    WaitRecord,
    WaitStatus,
    encode_gap,
    encode_wait,
)


def test_the_head_is_the_struct_that_the_records_have() -> None:
    assert ">" + "".join(field.kind for field in HEAD_FIELDS) == HEAD.format


def test_json_records_have_the_described_fields_in_this_order() -> None:
    counters = json.loads(encode_counters(Counters(0)))
    assert list(counters) == [field.name for field in COUNTERS_FIELDS]
    gap = json.loads(encode_gap(GapRecord(0, "g", GapStatus.OPEN, Sought("a#1:1"), 0)))
    assert list(gap) == [field.name for field in GAP_FIELDS]
    record = WaitRecord(1, 0, Origin(0, 0, 0), "b#1:1", WaitStatus.HELD, Sought("a#1:1"), 0)
    wait = json.loads(encode_wait(record)[HEAD_BYTES:])
    assert list(wait) == [field.name for field in WAIT_FIELDS]


def test_every_topic_with_a_head_is_described() -> None:
    assert set(AFTER_THE_HEAD) < set(Topics._fields)
    assert len(AFTER_THE_HEAD) == len(TABLES)
