"""The `cloudevents` format of the ordered topic: the payload as value, what is known in headers.

For consumers that know nothing of Precede: CloudEvents 1.0 in its binary mode, as the Kafka binding
of that specification has it. The value is what the sender sent; the headers are::

    ce_specversion  1.0
    ce_type         precede.message
    ce_source       /RAW TOPIC/GROUP (percent-encoded): ids are unique within it
    ce_id           sender:seq
    ce_time         the sender's own clock
    ce_subject      the group
    ce_sequence     the position: 1, 2, 3 ... of the group
    ce_parent       sender:seq of what it answers, several with spaces between; a root has none
    ce_fate         delivered; with marks, delivered late, delivered parent_missing
    precede         the record of the `envelope` format (`sinks.records`) without the payload

The last one is for our own readers: with the value it gives back the whole record, byte for byte,
so that whoever drops repeats, verifies or fills tables sees no difference between the two formats.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from enum import StrEnum
from functools import lru_cache
from struct import Struct
from typing import Any, Final, NamedTuple
from urllib.parse import quote

from sinks.errors import RecordError
from sinks.records import HEAD_BYTES, MarkBits


class OrderedFormat(StrEnum):
    """How a record of the ordered topic is written."""

    ENVELOPE = "envelope"
    CLOUDEVENTS = "cloudevents"


DELIVERED: Final = b"delivered"
FACTS: Final = "precede"
"""The header that has the rest of the record."""

PARENT: Final = "ce_parent"

SAME_FOR_ALL: Final = {"ce_specversion": b"1.0", "ce_type": b"precede.message"}
OF_EACH: Final = (
    "ce_source", "ce_id", "ce_time", "ce_subject", "ce_sequence", "ce_fate", FACTS, PARENT,
)  # fmt: skip
"""The headers that differ; the last one is not there for a message that answers nothing."""

# marks and position of the head, then the lengths, seq and sent_at of the envelope's prefix
_PLACES: Final = Struct(">6xH8xQ32xHHHHIH2xQQ")
_LENGTHS: Final = Struct(">56xHHHHIH")
_PARENT: Final = Struct(">QH")
_NAMES_AT: Final = HEAD_BYTES + 40
US_PER_S: Final = 1_000_000
LAST_SECOND: Final = 253_402_300_799
"""The end of the year 9999: a text of time has no more digits, a sender's clock may."""


class CloudEvent(NamedTuple):
    """One delivery for any consumer: `headers` are the values of `OF_EACH`, in that order."""

    value: bytes
    headers: tuple[bytes | None, ...]


def cloud_event(key: bytes, record: bytes, *, raw_topic: str) -> CloudEvent:
    """Write a record of the `envelope` format as a cloud event. The job made the record, so that
    nothing of it is checked again. For many at once there is `event_columns`.
    """
    marks, position, group, sender, parents, stamps, payload, _, seq, sent_at = _PLACES.unpack_from(
        record
    )
    sender_at = _NAMES_AT + group
    parents_at = sender_at + sender
    stamps_at = parents_at + parents
    begin = stamps_at + stamps
    end = begin + payload
    headers = (
        source_of(raw_topic, key),
        b"%b:%d" % (record[sender_at:parents_at], seq),
        b"%b.%06dZ" % (_second(sent_at // US_PER_S), sent_at % US_PER_S),
        key,
        b"%d" % position,
        _fate(marks),
        record[:begin] + record[end:],
        _parents(record, parents_at, stamps_at) if parents else None,
    )
    return CloudEvent(record[begin:end], headers)


def whole_record(value: bytes, facts: bytes) -> bytes:
    """Give the record that a cloud event was made of; raises `RecordError` if it was made of none.

    `facts` is its header of that name.
    """
    if len(facts) < _NAMES_AT:
        raise RecordError(f"the header {FACTS} has at least {_NAMES_AT} bytes, not {len(facts)}")
    group, sender, parents, stamps, payload, tag = _LENGTHS.unpack_from(facts)
    begin = _NAMES_AT + group + sender + parents + stamps
    if len(value) != payload or len(facts) != begin + tag:
        raise RecordError(
            f"a payload of {len(value)} bytes, where the header {FACTS} speaks of {payload}: "
            "something changed the record on its way"
        )
    return facts[:begin] + value + facts[begin:]


def envelope_form(
    value: bytes, headers: Mapping[str, Any] | Iterable[tuple[str, Any]] | None
) -> bytes:
    """Give a record of any of our topics as the `envelope` format has it, for every reader.

    What is no cloud event of ours stays as it is: whoever decodes it says what is wrong.
    """
    for name, facts in headers.items() if isinstance(headers, Mapping) else headers or ():
        if name == FACTS:
            try:
                return whole_record(value, bytes(facts or b""))
            except RecordError:
                return value
    return value


@lru_cache(maxsize=65_536)
def source_of(raw_topic: str, key: bytes) -> bytes:
    """Where a group's messages come from; the ids are unique there."""
    return f"/{quote(raw_topic)}/{quote(key, safe='')}".encode()


@lru_cache(maxsize=4_096)
def _second(seconds: int) -> bytes:
    return (
        datetime.fromtimestamp(min(seconds, LAST_SECOND), UTC)
        .strftime("%Y-%m-%dT%H:%M:%S")
        .encode()
    )


@lru_cache(maxsize=16)
def _fate(marks: int) -> bytes:
    words = (str(mark.name).lower() for mark in MarkBits if mark in MarkBits(marks))
    return b" ".join((DELIVERED, *(word.encode() for word in words)))


def _parents(record: bytes, start: int, end: int) -> bytes:
    texts = []
    while start < end:
        seq, length = _PARENT.unpack_from(record, start)
        name_at = start + _PARENT.size
        start = name_at + length
        texts.append(b"%b:%d" % (record[name_at:start], seq))
    return b" ".join(texts)
