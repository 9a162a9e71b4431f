"""Ordered records as columns of `deliveries`, many at once: nearly all are plain.

A plain record has no marks, stamps or tag and at most one parent, so its parts lie in places that
follow from its fixed beginning. Those of all records are taken together, numbers as arrays and
names as slices of one buffer; to take each record by itself would cost most of the history query::

    values   |head|prefix|dev|alice#1|hi|head|prefix|dev|bob#1|parent|you|
    sender                   |-------|                   |-----|            -> alice#1 bob#1

All others, and what is damaged, are for `decoding.delivery_row`, which gives the same for plain
ones too.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from ingest.wire import bounds
from ingest.wire.envelope import PLAIN_MESSAGE, PREFIX_BYTES
from ingest.wire.errors import WireError
from ingest.wire.names import group_of, member_of
from sinks.arrow_bytes import parts, slices, structures
from sinks.records import HEAD_BYTES, PLAIN_START

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import pyarrow as pa

    Numbers = npt.NDArray[np.int64]
    Flags = npt.NDArray[np.bool_]

# The head of `sinks.records` and the prefix of `ingest.wire.envelope`; the parent behind the names.
_BEGINNING: Final = [
    ("head", ">u8"), ("ordinal", ">i8"), ("position", ">i8"), ("partition", ">i4"),
    ("entry", ">i4"), ("offset", ">i8"), ("captured_at", ">i8"),
    ("prefix", ">u8"), ("group", ">u2"), ("sender", ">u2"), ("parents", ">u2"), ("stamps", ">u2"),
    ("payload", ">u4"), ("tag", ">u2"), ("key_id", ">u2"), ("seq", ">i8"), ("sent_at", ">i8"),
]  # fmt: skip
_PARENT: Final = [("seq", ">i8"), ("name", ">u2")]
_BEGINNING_BYTES: Final = HEAD_BYTES + PREFIX_BYTES
_HEAD: Final = int.from_bytes(PLAIN_START)
_PREFIX: Final = int.from_bytes(PLAIN_MESSAGE)


def plain_columns(
    keys: pa.Array, values: pa.Array, *, with_payloads: bool = True
) -> tuple[Flags, dict[str, pa.Array]]:
    """Tell which of the records are plain, and give the columns of those that have a value.

    Keys and values are Arrow's binary arrays, as they come from the topic. Without payloads there
    is `payload_bytes` instead, for those who have the records at hand: a payload stands last.
    """
    import numpy as np
    import pyarrow as pa

    data, starts, lengths = parts(values)
    at = np.flatnonzero(lengths >= _BEGINNING_BYTES)
    beginning = structures(data, starts[at], _BEGINNING)
    is_so = _is_plain(beginning, lengths[at])
    at, beginning = at[is_so], beginning[is_so]
    sizes = {name: beginning[name].astype(np.int64) for name in ("group", "sender", "parents")}
    group_at = starts[at] + _BEGINNING_BYTES
    sender_at = group_at + sizes["group"]
    parent_at = sender_at + sizes["sender"]
    payload_at = parent_at + sizes["parents"]

    has_parent = sizes["parents"] > 0
    parent = np.zeros(len(at), _PARENT)
    parent[has_parent] = structures(data, parent_at[has_parent], _PARENT)
    fixed_sizes = np.where(has_parent, bounds.PARENT_FIXED_BYTES, 0)
    name_sizes = sizes["parents"] - fixed_sizes
    groups = slices(data, group_at, sizes["group"])
    senders = slices(data, sender_at, sizes["sender"])
    parents = slices(data, parent_at + fixed_sizes, name_sizes)
    is_so = (parent["name"] == name_sizes) & (~has_parent | (parent["seq"] > 0))
    is_so &= _are_names(groups, group_of) & _are_names(senders, member_of)
    is_so &= _are_names(parents, member_of) | ~has_parent
    is_so &= _are_equal(groups, keys.take(pa.array(at)))

    is_plain = np.zeros(len(values), np.bool_)
    is_plain[at[is_so]] = True
    groups, senders, parents = (_texts(names, is_so) for names in (groups, senders, parents))
    parent_seqs = _numbers(parent["seq"][is_so], has_parent[is_so])
    columns = _columns(beginning[is_so], groups, senders, parents, parent_seqs)
    payload_bytes = beginning["payload"][is_so].astype(np.int64)
    if with_payloads:
        columns["payload"] = slices(data, payload_at[is_so], payload_bytes)
    else:
        columns["payload_bytes"] = pa.array(payload_bytes)
    return is_plain, columns


def _columns(
    beginning: Any,
    groups: pa.Array,
    senders: pa.Array,
    parents: pa.Array,
    parent_seqs: pa.Array,
) -> dict[str, pa.Array]:
    seqs = _numbers(beginning["seq"])
    none = _empty_lists(len(seqs))
    return {
        "group": groups,
        "position": _numbers(beginning["position"]),
        "id": _ids(senders, seqs),
        "sender": senders,
        "seq": seqs,
        "parent": _ids(parents, parent_seqs),
        "also": none,
        "marks": none,
        "sent_at": _numbers(beginning["sent_at"]),
        "raw_partition": _numbers(beginning["partition"]),
        "raw_offset": _numbers(beginning["offset"]),
        "raw_entry": _numbers(beginning["entry"]),
        "captured_at": _numbers(beginning["captured_at"]),
        "ordinal": _numbers(beginning["ordinal"]),
    }


def _is_plain(beginning: Any, lengths: Numbers) -> Flags:
    """Judge the beginnings: known kinds and versions, numbers in their bounds, lengths that add up
    to the whole; all that the names and the parent leave open.
    """
    import numpy as np

    is_so: Flags = (beginning["head"] == _HEAD) & (beginning["prefix"] == _PREFIX)
    for name in ("stamps", "tag", "key_id"):
        is_so &= beginning[name] == 0
    for name in ("ordinal", "position", "partition", "entry", "offset", "captured_at", "sent_at"):
        is_so &= beginning[name] >= 0
    is_so &= beginning["seq"] > 0
    is_so &= beginning["payload"] <= bounds.PAYLOAD_BYTES
    parents = beginning["parents"]
    is_so &= (parents == 0) | (parents > bounds.PARENT_FIXED_BYTES)
    whole = np.full(len(lengths), _BEGINNING_BYTES, np.int64)
    for name in ("group", "sender", "parents", "payload"):
        whole += beginning[name]
    is_so &= whole == lengths
    return is_so


def _are_names(names: pa.Array, check: Callable[[bytes], object]) -> Flags:
    """Which of the names are well formed; each different one is looked at once."""
    import numpy as np

    encoded = names.dictionary_encode()
    is_name = np.array([_is_name(one, check) for one in encoded.dictionary.to_pylist()], np.bool_)
    chosen: Flags = is_name[encoded.indices.to_numpy()]
    return chosen


def _is_name(name: bytes, check: Callable[[bytes], object]) -> bool:
    try:
        check(name)
    except WireError:
        return False
    return True


def _are_equal(some: pa.Array, others: pa.Array) -> Flags:
    import pyarrow.compute as pc

    equal: Flags = pc.fill_null(pc.equal(some, others), False).to_numpy(zero_copy_only=False)
    return equal


def _texts(names: pa.Array, chosen: Flags) -> pa.Array:
    """The chosen ones as text; they are well formed."""
    import pyarrow as pa

    return (names if chosen.all() else names.filter(pa.array(chosen))).cast(pa.string())


def _numbers(column: Any, maybe_there: Flags | None = None) -> pa.Array:
    """A column of a structure; NULL where it is not there."""
    import pyarrow as pa

    native = column.astype(column.dtype.newbyteorder("="))
    return pa.array(native, mask=None if maybe_there is None else ~maybe_there)


def _ids(names: pa.Array, seqs: pa.Array) -> pa.Array:
    """Texts of ids, as `sinks.identity` writes them; NULL where there is no seq."""
    import pyarrow as pa
    import pyarrow.compute as pc

    return pc.binary_join_element_wise(names, seqs.cast(pa.string()), ":")


def _empty_lists(count: int) -> pa.Array:
    import numpy as np
    import pyarrow as pa

    offsets = pa.array(np.zeros(count + 1, np.int32))
    return pa.ListArray.from_arrays(offsets, pa.array([], pa.string()))
