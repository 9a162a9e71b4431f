"""Ordered records as cloud events, many at once: the values and the headers of `cloud_events`.

What a plain record says is taken from all of them together (`delivery_columns`); the others go one
by one. Both give what `cloud_event` gives for each.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import compress
from typing import TYPE_CHECKING, Any, Final

from sinks.arrow_bytes import parts
from sinks.batch_writing import header_block
from sinks.cloud_events import (
    DELIVERED,
    FACTS,
    LAST_SECOND,
    OF_EACH,
    PARENT,
    SAME_FOR_ALL,
    US_PER_S,
    cloud_event,
    source_of,
)
from sinks.delivery_columns import plain_columns
from sinks.varints import VARINTS

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import pyarrow as pa

_SENT: Final = ("value", *OF_EACH)
_OF_EACH_RECORD: Final = ("ce_id", "ce_time", "ce_sequence", "ce_fate", FACTS, PARENT)
_ID, _TIME, _SEQUENCE, _FATE, _FACTS, _PARENT = (
    VARINTS[len(name)] + name.encode() for name in _OF_EACH_RECORD
)
_WITHOUT_PARENT, _WITH_PARENT = (
    VARINTS[len(SAME_FOR_ALL) + len(OF_EACH) - missing] for missing in (1, 0)
)
"""How many headers there are."""


def cloud_events(
    keys: Sequence[bytes], records: Sequence[bytes], *, raw_topic: str
) -> tuple[Sequence[bytes], Sequence[bytes]]:
    """Give the values of the events, and the block of headers of each."""
    import pyarrow as pa

    is_plain, found = plain_columns(
        pa.array(keys, pa.binary()), pa.array(records, pa.binary()), with_payloads=False
    )
    events = _of_plain(compress(records, is_plain), found)
    events["ce_fate"] = [DELIVERED] * len(events["value"])
    if not is_plain.all():
        events = _with_others(events, is_plain, keys, records, raw_topic=raw_topic)
    return events["value"], _blocks(keys, events, raw_topic=raw_topic)


def _blocks(keys: Sequence[bytes], events: dict[str, Any], *, raw_topic: str) -> list[bytes]:
    """The headers of each event; only the last one, the parent, may be missing."""
    lengths = VARINTS
    common: dict[bytes, bytes] = {}
    blocks: list[bytes] = []
    for key, id_, time, position, fate, facts, maybe_parent in zip(
        keys, *(events[name] for name in _OF_EACH_RECORD), strict=True
    ):
        maybe_common = common.get(key)
        if maybe_common is None:
            maybe_common = common[key] = _common(key, raw_topic=raw_topic)
        block = (
            maybe_common,
            _ID, lengths[len(id_)], id_,
            _TIME, lengths[len(time)], time,
            _SEQUENCE, lengths[len(position)], position,
            _FATE, lengths[len(fate)], fate,
            _FACTS, lengths[len(facts)], facts,
        )  # fmt: skip
        if maybe_parent is None:
            blocks.append(_WITHOUT_PARENT + b"".join(block))
        else:
            blocks.append(
                b"".join((_WITH_PARENT, *block, _PARENT, lengths[len(maybe_parent)], maybe_parent))
            )
    return blocks


def _common(key: bytes, *, raw_topic: str) -> bytes:
    """The headers that all events of a group share, without their number."""
    headers = {**SAME_FOR_ALL, "ce_source": source_of(raw_topic, key), "ce_subject": key}
    return header_block((name.encode(), value) for name, value in headers.items())[1:]


def _of_plain(records: Iterable[bytes], found: dict[str, pa.Array]) -> dict[str, Any]:
    """The columns of plain records, and their values, from what `deliveries` has of them."""
    import pyarrow as pa

    texts = {
        "ce_id": found["id"],
        "ce_time": _times(found["sent_at"].to_numpy()),
        "ce_sequence": found["position"].cast(pa.string()),
        PARENT: found["parent"],
    }
    events: dict[str, Any] = {
        name: column.cast(pa.binary()).to_numpy(zero_copy_only=False)
        for name, column in texts.items()
    }
    facts: list[bytes] = []
    values: list[bytes] = []
    for record, payload in zip(records, found["payload_bytes"].to_pylist(), strict=True):
        end = len(record) - payload
        facts.append(record[:end])
        values.append(record[end:])
    return events | {FACTS: facts, "value": values}


def _with_others(
    plain: dict[str, Any],
    is_plain: npt.NDArray[np.bool_],
    keys: Sequence[bytes],
    records: Sequence[bytes],
    *,
    raw_topic: str,
) -> dict[str, Any]:
    """Put the records that are not plain between those that are."""
    import numpy as np

    events: dict[str, Any] = {name: np.full(len(keys), None, object) for name in _SENT}
    for name, column in plain.items():
        events[name][is_plain] = column
    for at in np.flatnonzero(~is_plain).tolist():
        event = cloud_event(keys[at], records[at], raw_topic=raw_topic)
        events["value"][at] = event.value
        for name, maybe_header in zip(OF_EACH, event.headers, strict=True):
            events[name][at] = maybe_header
    return events


def _times(sent_at: npt.NDArray[np.int64]) -> pa.Array:
    """Texts such as 1970-01-01T00:00:03.000000Z, all of one length."""
    import numpy as np
    import pyarrow as pa

    instants = np.minimum(sent_at // US_PER_S, LAST_SECOND) * US_PER_S + sent_at % US_PER_S
    texts = pa.array(instants, pa.timestamp("us")).cast(pa.string())
    data, starts, _ = parts(texts.cast(pa.binary()))
    size = len("1970-01-01 00:00:03.000000")
    letters = np.full((len(texts), size + 1), ord("Z"), np.uint8)
    letters[:, :size] = data[starts[:, None] + np.arange(size)]
    letters[:, len("1970-01-01")] = ord("T")
    offsets = np.arange(len(texts) + 1, dtype=np.int32) * (size + 1)
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(letters)]
    return pa.Array.from_buffers(pa.binary(), len(texts), buffers)
