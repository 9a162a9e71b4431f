"""Ordered records as cloud events, many at once: the headers of `cloud_events`, as columns.

What a plain record says is taken from all of them together (`delivery_columns`); the others go one
by one. Both give what `cloud_event` gives for each.

What follows from a record's key need not travel from a worker to the sink: its column is empty, or
there is none, and `header_texts` writes it in Spark's SQL::

    ce_subject   the key
    ce_source    the stem, which all records of a shard share, and the key; a name that must be
                 percent-encoded is sent
    ce_fate      delivered; with marks it is sent
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import compress
from typing import TYPE_CHECKING, Any, Final

from sinks.arrow_bytes import parts
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

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import pyarrow as pa

STEM: Final = "stem"
"""The one column that is a value for a whole chunk."""
SENT: Final = tuple(name for name in OF_EACH if name != "ce_subject")
"""The columns of lists that a worker gives, beside keys and values."""
Column = Sequence[bytes | None]


def header_texts() -> dict[str, str]:
    """Every header as an expression of SQL over a record's key, its place in the chunk (`at`), the
    stem and the sent columns.
    """
    constants = {name: f"X'{value.hex()}'" for name, value in SAME_FOR_ALL.items()}
    sent = {name: f"get({name}, at)" for name in SENT}
    known = {
        "ce_source": f"concat({STEM}, key)",
        "ce_subject": "key",
        "ce_fate": f"X'{DELIVERED.hex()}'",
    }
    either = {name: f"coalesce({sent[name]}, {known[name]})" for name in sent.keys() & known.keys()}
    texts = constants | sent | known | either
    return {name: texts[name] for name in (*SAME_FOR_ALL, *OF_EACH)}


def event_columns(
    keys: Sequence[bytes], records: Sequence[bytes], *, raw_topic: str
) -> tuple[Column, dict[str, Column]]:
    """Give the values of the events, and the columns of `SENT`; empty where no record needs one."""
    import pyarrow as pa

    is_plain, found = plain_columns(
        pa.array(keys, pa.binary()), pa.array(records, pa.binary()), with_payloads=False
    )
    events = _of_plain(compress(records, is_plain), found)
    if not is_plain.all():
        events = _with_others(events, is_plain, keys, records, raw_topic=raw_topic)
    stem = source_of(raw_topic, b"")
    encoded = {key: one for key in {*keys} if (one := source_of(raw_topic, key)) != stem + key}
    if encoded:
        events["ce_source"] = [encoded.get(key) for key in keys]
    columns = {name: events.get(name, ()) for name in SENT}
    return events["value"], columns


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

    names = ("value", *SENT)
    events: dict[str, Any] = {name: np.full(len(keys), None, object) for name in names}
    for name, column in plain.items():
        events[name][is_plain] = column
    for at in np.flatnonzero(~is_plain).tolist():
        event = cloud_event(keys[at], records[at], raw_topic=raw_topic)
        events["value"][at] = event.value
        for name, header in zip(OF_EACH, event.headers, strict=True):
            if name in events:
                events[name][at] = header
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
