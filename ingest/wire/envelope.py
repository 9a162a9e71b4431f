"""The wire envelope, version 1: one message, tick or management record as bytes.

Members send it, agents capture it, the raw topic keeps it unchanged, the job and `verify` read
it. All numbers are big-endian; the prefix has a fixed size and fixed places, so that an SQL
expression can cut it too.

     0  4s magic "PRCD"     4 B version (1)   5 B kind   6 B flags                   7 B stamps kind
     8  H group length     10 H sender length           12 H parents length       14 H stamps length
    16  I payload length   20 H tag length                22 H key id
    24  Q seq              32 Q sent_at (microseconds since the epoch)
    40  group | sender | parents: (Q seq, H length, pid) ... | stamps (MessagePack) | payload | tag

    50524344 01 01 00 00  0003 0007 0000 0000 00000002 0000 0000  0000000000000001 0005f5e100000000
    "dev" "alice#1" "hi"          alice's first message in the group dev, in answer to nothing

The lengths are checked against their bounds, and their sum against the whole, before any part is
looked at. What has one meaning has one spelling (no spare bytes, no unused flags), except inside
the stamps, where MessagePack allows several.

Flags: bit 0 tagged, bit 1 sealed (the payload is a secret; only with a tag). Here a tag is bytes
in a place: `ingest/authentication` makes and checks it, and whoever orders needs neither.
"""

from enum import IntEnum
from struct import Struct
from typing import Final, NamedTuple

from ingest.wire import bounds
from ingest.wire.errors import WireError, WireReason
from ingest.wire.names import group_of, member_of
from ingest.wire.stamps_codec import decode_stamps, encode_stamps
from ordering.stamps import Stamps
from ordering.values import GroupId, MemberId, Message, MessageId

MAGIC: Final = b"PRCD"
VERSION: Final = 1
FLAG_TAGGED: Final = 1
FLAG_SEALED: Final = 2
_KNOWN_FLAGS: Final = FLAG_TAGGED | FLAG_SEALED

_PREFIX: Final = Struct(">4sBBBBHHHHIHHQQ")
PREFIX_BYTES: Final = _PREFIX.size
_PARENT: Final = Struct(">QH")
_PLAIN_REST: Final = Struct(">8xHHHHIHHQQ")
# Decoding is the hot path of the agent and of the job: this skips the named constructors' own
# Python frame, which costs as much as all the checks together.
_new = tuple.__new__
_Prefix = tuple[bytes, int, int, int, int, int, int, int, int, int, int, int, int, int]


class Kind(IntEnum):
    """What an envelope carries. Never reuse a number: it stands in logs for years."""

    MESSAGE = 1
    TICK = 2
    GROUP_MANAGEMENT = 3
    SYNCHRONISATION = 4
    CONTROL = 5


_KINDS: Final = {int(kind): kind for kind in Kind}
_TICK: Final = int(Kind.TICK)
PLAIN_MESSAGE: Final = Struct(">4sBBBB").pack(MAGIC, VERSION, int(Kind.MESSAGE), 0, 0)
"""How a message begins that has neither flags nor stamps."""


class Envelope(NamedTuple):
    """One envelope, decoded. A tick has nothing but `sent_at`: see `tick`."""

    kind: Kind
    group: GroupId
    sender: MemberId
    seq: int
    parents: tuple[MessageId, ...] = ()
    payload: bytes = b""
    sent_at: int = 0
    stamps: Stamps | None = None
    key_id: int = 0
    tag: bytes = b""
    is_sealed: bool = False


def tick(sent_at: int) -> Envelope:
    """Give the record that moves time on in a partition of the raw topic. The job writes it."""
    return Envelope(Kind.TICK, GroupId(""), MemberId(""), 0, sent_at=sent_at)


def message_of(envelope: Envelope, content: bytes, origin: tuple[int, ...] = ()) -> Message:
    """Give the engine's value for an envelope of kind MESSAGE; `content` is its bytes."""
    return Message(
        MessageId(envelope.sender, envelope.seq), envelope.parents, content, envelope.stamps, origin
    )


def decode(data: bytes) -> Envelope:
    """Read one envelope. Called for every captured datagram and every raw record.

    Raises WireError and nothing else, whatever the bytes. Steps: 1. the fixed prefix; 2. kinds,
    bounds and the sum of the lengths; 3. only then the names, the parents and the stamps, each
    cut to its checked length.
    """
    size = len(data)
    if size < PREFIX_BYTES:
        raise WireError(
            WireReason.TOO_SHORT, f"{size} bytes; an envelope has at least {PREFIX_BYTES}"
        )
    prefix: _Prefix = _PREFIX.unpack_from(data)
    _check_prefix(prefix, size)
    (
        _, _, kind, flags, stamps_kind, group_length, sender_length, parents_length, stamps_length,
        payload_length, _, key_id, seq, sent_at,
    ) = prefix  # fmt: skip
    if kind == _TICK:
        return tick(sent_at)
    after_group = PREFIX_BYTES + group_length
    after_sender = after_group + sender_length
    after_parents = after_sender + parents_length
    after_stamps = after_parents + stamps_length
    after_payload = after_stamps + payload_length
    values = (
        _KINDS[kind],
        group_of(data[PREFIX_BYTES:after_group]),
        member_of(data[after_group:after_sender]),
        seq,
        _decode_parents(data[after_sender:after_parents]) if parents_length else (),
        data[after_stamps:after_payload],
        sent_at,
        decode_stamps(stamps_kind, data[after_parents:after_stamps]) if stamps_kind else None,
        key_id,
        data[after_payload:],
        flags > FLAG_TAGGED,
    )
    return _new(Envelope, values)


def is_tick(data: bytes) -> bool:
    """Is this raw record one of the job's own, which nobody captured?"""
    try:
        return decode(data).kind is Kind.TICK
    except WireError:
        return False


def maybe_plain_group(data: bytes) -> bytes | None:
    """Give the group's bytes if this is a message without stamps and tag that `decode` takes.

    None says nothing but that `decode` must be asked. For the agent, which needs no more of most
    datagrams: it costs a third of taking them apart.
    """
    size = len(data)
    if size < PREFIX_BYTES or not data.startswith(PLAIN_MESSAGE):
        return None
    (
        group_length, sender_length, parents_length, stamps_length, payload_length, tag_length,
        key_id, seq, sent_at,
    ) = _PLAIN_REST.unpack_from(data)  # fmt: skip
    after_group = PREFIX_BYTES + group_length
    after_sender = after_group + sender_length
    after_parents = after_sender + parents_length
    if (
        after_parents + payload_length != size
        or stamps_length
        or tag_length
        or key_id
        or not 1 <= seq <= bounds.SEQ_LAST
        or sent_at > bounds.SENT_AT_LAST
        or payload_length > bounds.PAYLOAD_BYTES
        or parents_length > bounds.PARENTS_BYTES
    ):
        return None
    group = data[PREFIX_BYTES:after_group]
    try:
        group_of(group)
        member_of(data[after_group:after_sender])
        if parents_length:
            _decode_parents(data[after_sender:after_parents])
    except WireError:
        return None
    return group


def encode(envelope: Envelope) -> bytes:
    """Write one envelope. Called by members for what they send and by the job for its ticks.

    Raises WireError for an envelope that `decode` would refuse: what is sent can be read.
    """
    group = _utf8(envelope.group, reason=WireReason.BAD_GROUP)
    sender = _utf8(envelope.sender, reason=WireReason.BAD_SENDER)
    parents = _encode_parents(envelope.parents)
    stamps_kind, stamps = encode_stamps(envelope.stamps)
    prefix = (
        MAGIC, VERSION, int(envelope.kind), _flags_of(envelope), int(stamps_kind),
        len(group), len(sender), len(parents), len(stamps),
        len(envelope.payload), len(envelope.tag), envelope.key_id, envelope.seq, envelope.sent_at,
    )  # fmt: skip
    parts = (group, sender, parents, stamps, envelope.payload, envelope.tag)
    _check_prefix(prefix, PREFIX_BYTES + sum(map(len, parts)))
    if envelope.kind != _TICK:
        group_of(group)
        member_of(sender)
    return b"".join((_PREFIX.pack(*prefix), *parts))


def _flags_of(envelope: Envelope) -> int:
    return (FLAG_TAGGED if envelope.tag else 0) | (FLAG_SEALED if envelope.is_sealed else 0)


def _check_prefix(prefix: _Prefix, size: int) -> None:
    """Refuse a prefix that breaks a rule, before anything behind it is read."""
    (
        magic, version, kind, flags, stamps_kind, group_length, sender_length, parents_length,
        stamps_length, payload_length, tag_length, key_id, seq, sent_at,
    ) = prefix  # fmt: skip
    if magic != MAGIC:
        raise WireError(WireReason.NOT_OURS, f"starts with {magic!r}, not with {MAGIC!r}")
    if version != VERSION:
        raise WireError(
            WireReason.UNKNOWN_VERSION, f"version {version}; this reader knows {VERSION}"
        )
    if kind not in _KINDS:
        raise WireError(WireReason.UNKNOWN_KIND, f"kind {kind}; known are 1 to {max(_KINDS)}")
    if (
        group_length > bounds.GROUP_BYTES
        or sender_length > bounds.MEMBER_BYTES
        or parents_length > bounds.PARENTS_BYTES
        or stamps_length > bounds.STAMPS_BYTES
        or payload_length > bounds.PAYLOAD_BYTES
        or tag_length > bounds.TAG_BYTES
    ):
        raise _over_bound(prefix)
    total = (
        PREFIX_BYTES + group_length + sender_length + parents_length
        + stamps_length + payload_length + tag_length
    )  # fmt: skip
    if total != size:
        raise WireError(
            WireReason.LENGTH_MISMATCH, f"{size} bytes; the lengths in the prefix add up to {total}"
        )
    if flags or tag_length or key_id:
        _check_tag(flags, tag_length, key_id)
    if stamps_length and not stamps_kind:
        raise WireError(WireReason.BAD_STAMPS, f"{stamps_length} bytes of stamps of kind 0 (none)")
    if not 0 <= sent_at <= bounds.SENT_AT_LAST:
        raise WireError(
            WireReason.BAD_SENT_AT, f"sent_at {sent_at} is not from 0 to {bounds.SENT_AT_LAST}"
        )
    if kind == _TICK:
        _check_tick(size, seq, stamps_kind)
    elif not 1 <= seq <= bounds.SEQ_LAST:
        raise WireError(WireReason.BAD_SEQ, f"seq {seq} is not from 1 to {bounds.SEQ_LAST}")


def _over_bound(prefix: _Prefix) -> WireError:
    """Name the first part of a prefix that is longer than it may be."""
    parts = (
        ("group", prefix[5], bounds.GROUP_BYTES),
        ("sender", prefix[6], bounds.MEMBER_BYTES),
        ("parents", prefix[7], bounds.PARENTS_BYTES),
        ("stamps", prefix[8], bounds.STAMPS_BYTES),
        ("payload", prefix[9], bounds.PAYLOAD_BYTES),
        ("tag", prefix[10], bounds.TAG_BYTES),
    )
    name, length, bound = next(part for part in parts if part[1] > part[2])
    return WireError(WireReason.OVER_BOUND, f"{name} of {length} bytes; at most {bound}")


def _check_tag(flags: int, tag_length: int, key_id: int) -> None:
    if flags & ~_KNOWN_FLAGS:
        raise WireError(
            WireReason.UNKNOWN_FLAGS, f"flags {flags:#04x}; known are {_KNOWN_FLAGS:#04x}"
        )
    if not flags & FLAG_TAGGED or not tag_length:
        raise WireError(
            WireReason.BAD_TAG,
            f"flags {flags}, tag of {tag_length} bytes, key id {key_id}: all three or none of them",
        )
    if not 0 <= key_id <= bounds.KEY_ID_LAST:
        raise WireError(
            WireReason.BAD_TAG, f"key id {key_id} is not from 0 to {bounds.KEY_ID_LAST}"
        )


def _check_tick(size: int, seq: int, stamps_kind: int) -> None:
    if size != PREFIX_BYTES or seq or stamps_kind:
        raise WireError(
            WireReason.BAD_TICK,
            f"a tick of {size} bytes with seq {seq} and stamps of kind {stamps_kind};"
            f" it must be {PREFIX_BYTES} bytes and have only sent_at",
        )


def _decode_parents(raw: bytes) -> tuple[MessageId, ...]:
    """Cut the list of parents, whose length in bytes is already checked, into ids. Most lists
    have one.
    """
    if len(raw) >= _PARENT.size:
        seq, length = _PARENT.unpack_from(raw)
        if _PARENT.size + length == len(raw):
            return (_parent_of(seq, raw[_PARENT.size :]),)
    parents: list[MessageId] = []
    start = 0
    while start < len(raw):
        if len(parents) == bounds.PARENTS:
            raise WireError(WireReason.BAD_PARENTS, f"more than {bounds.PARENTS} parents")
        name_at = start + _PARENT.size
        if name_at > len(raw):
            raise WireError(
                WireReason.BAD_PARENTS, f"parent {len(parents) + 1} ends at byte {len(raw) - start}"
            )
        seq, length = _PARENT.unpack_from(raw, start)
        start = name_at + length
        if start > len(raw):
            raise WireError(
                WireReason.BAD_PARENTS,
                f"the pid of parent {len(parents) + 1} has {len(raw) - name_at} of {length} bytes",
            )
        parents.append(_parent_of(seq, raw[name_at:start]))
    return tuple(parents)


def _encode_parents(parents: tuple[MessageId, ...]) -> bytes:
    if len(parents) > bounds.PARENTS:
        raise WireError(WireReason.BAD_PARENTS, f"{len(parents)} parents; at most {bounds.PARENTS}")
    parts: list[bytes] = []
    for parent in parents:
        name = _utf8(parent.sender, reason=WireReason.BAD_PARENTS)
        _parent_of(parent.seq, name)
        parts += (_PARENT.pack(parent.seq, len(name)), name)
    return b"".join(parts)


def _parent_of(seq: int, name: bytes) -> MessageId:
    try:
        sender = member_of(name)
    except WireError as error:
        raise WireError(WireReason.BAD_PARENTS, error.detail) from None
    if not 1 <= seq <= bounds.SEQ_LAST:
        raise WireError(
            WireReason.BAD_PARENTS, f"a parent's seq {seq} is not from 1 to {bounds.SEQ_LAST}"
        )
    return _new(MessageId, (sender, seq))


def _utf8(text: str, *, reason: WireReason) -> bytes:
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise WireError(reason, f"the name {text!r} is not UTF-8 at {error.start}") from None
