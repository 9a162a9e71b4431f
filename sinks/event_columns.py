"""Ordered records as cloud events, many at once: the values and the headers of `cloud_events`.

What a plain record says is taken from all of them together (`delivery_columns`), and its headers
are written in one step; the others go one by one. Both give what `cloud_event` gives for each.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from sinks.arrow_bytes import joined, large, parts, sizes, slices
from sinks.batch_writing import header_block
from sinks.cloud_events import (
    DELIVERED,
    LAST_SECOND,
    OF_EACH,
    SAME_FOR_ALL,
    US_PER_S,
    cloud_event,
    source_of,
)
from sinks.delivery_columns import plain_columns
from sinks.varints import VARINTS, varints

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import pyarrow as pa

TOGETHER: Final = 16_384
"""Records: what is known of them on the way stays in the processor's cache."""
_TIME_FORM: Final = "1970-01-01T00:00:03.000000Z"
_SOURCE, _ID, _TIME, _SUBJECT, _SEQUENCE, _FATE, _FACTS, _PARENT = (
    VARINTS[len(name)] + name.encode() for name in OF_EACH
)
_SAME = header_block((name.encode(), value) for name, value in SAME_FOR_ALL.items())[1:]
"""without their number"""
_WITHOUT_PARENT, _WITH_PARENT = (
    VARINTS[len(SAME_FOR_ALL) + len(OF_EACH) - missing] for missing in (1, 0)
)
"""How many headers there are."""


def cloud_events(
    keys: Sequence[bytes], records: Sequence[bytes], *, raw_topic: str
) -> tuple[pa.ChunkedArray, pa.ChunkedArray]:
    """Give the values of the events, and the block of headers of each; pieces stay pieces."""
    import pyarrow as pa

    pieces = [
        _cloud_events(keys[at : at + TOGETHER], records[at : at + TOGETHER], raw_topic=raw_topic)
        for at in range(0, len(keys), TOGETHER)
    ]
    values, blocks = zip(*pieces, strict=True) if pieces else ((), ())
    kind = pa.large_binary()
    return pa.chunked_array(values, kind), pa.chunked_array(blocks, kind)


def _cloud_events(
    keys: Sequence[bytes], records: Sequence[bytes], *, raw_topic: str
) -> tuple[pa.Array, pa.Array]:
    import numpy as np
    import pyarrow as pa

    all_keys, all_records = pa.array(keys, pa.binary()), large(records)
    is_plain, found = plain_columns(all_keys, all_records, with_payloads=False)
    if is_plain.all():
        return _of_plain(all_keys, all_records, found, raw_topic=raw_topic)
    mask = pa.array(is_plain)
    plain = _of_plain(all_keys.filter(mask), all_records.filter(mask), found, raw_topic=raw_topic)
    others = np.flatnonzero(~is_plain).tolist()
    other = _of_others(
        [keys[at] for at in others], [records[at] for at in others], raw_topic=raw_topic
    )
    places = np.where(is_plain, is_plain.cumsum() - 1, len(plain[0]) + (~is_plain).cumsum() - 1)
    values, blocks = (
        pa.concat_arrays(both).take(pa.array(places)) for both in zip(plain, other, strict=True)
    )
    return values, blocks


def _of_plain(
    keys: pa.Array, records: pa.Array, found: dict[str, pa.Array], *, raw_topic: str
) -> tuple[pa.Array, pa.Array]:
    """Write the events of plain records from what `deliveries` has of them."""
    import pyarrow as pa
    import pyarrow.compute as pc

    data, starts, lengths = parts(records)
    payloads = found["payload_bytes"].to_numpy()
    facts = large(slices(data, starts, lengths - payloads))
    values = large(slices(data, starts + lengths - payloads, payloads))
    has_parent = found["parent"].is_valid()
    counts = large([_WITHOUT_PARENT, _WITH_PARENT]).take(has_parent.cast(pa.int8()))
    id_, position, parent = (
        found[name].cast(pa.string()).cast(pa.large_binary())
        for name in ("id", "position", "parent")
    )
    blocks = joined(
        counts,
        _common(keys, raw_topic=raw_topic),
        _ID, varints(sizes(id_)), id_,
        _TIME + VARINTS[len(_TIME_FORM)], _times(found["sent_at"].to_numpy()),
        _SEQUENCE, varints(sizes(position)), position,
        _FATE + VARINTS[len(DELIVERED)] + DELIVERED,
        _FACTS, varints(sizes(facts)), facts,
        pc.fill_null(joined(_PARENT, varints(sizes(parent)), parent), b""),
    )  # fmt: skip
    return values, blocks


def _common(keys: pa.Array, *, raw_topic: str) -> pa.Array:
    """The headers that all events of a group share, without their number."""
    encoded = keys.dictionary_encode()
    names = large(encoded.dictionary)
    sources = large([source_of(raw_topic, key) for key in names.to_pylist()])
    blocks = joined(
        _SAME,
        _SOURCE, varints(sizes(sources)), sources,
        _SUBJECT, varints(sizes(names)), names,
    )  # fmt: skip
    return blocks.take(encoded.indices)


def _of_others(
    keys: Sequence[bytes], records: Sequence[bytes], *, raw_topic: str
) -> tuple[pa.Array, pa.Array]:
    """Write the events of all other records."""
    values, blocks = [], []
    for key, record in zip(keys, records, strict=True):
        event = cloud_event(key, record, raw_topic=raw_topic)
        named = {**SAME_FOR_ALL, **dict(zip(OF_EACH, event.headers, strict=True))}
        values.append(event.value)
        blocks.append(
            header_block(
                (name.encode(), value) for name, value in named.items() if value is not None
            )
        )
    return large(values), large(blocks)


def _times(sent_at: npt.NDArray[np.int64]) -> pa.Array:
    """Texts such as 1970-01-01T00:00:03.000000Z, all of one length."""
    import numpy as np
    import pyarrow as pa

    instants = np.minimum(sent_at // US_PER_S, LAST_SECOND) * US_PER_S + sent_at % US_PER_S
    texts = pa.array(instants, pa.timestamp("us")).cast(pa.string())
    data, starts, _ = parts(texts.cast(pa.binary()))
    size = len(_TIME_FORM)
    letters = np.full((len(texts), size), ord("Z"), np.uint8)
    letters[:, :-1] = data[starts[:, None] + np.arange(size - 1)]
    letters[:, len("1970-01-01")] = ord("T")
    offsets = np.arange(len(texts) + 1) * size
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(letters)]
    return pa.Array.from_buffers(pa.large_binary(), len(texts), buffers)
