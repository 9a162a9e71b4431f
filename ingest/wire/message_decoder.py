"""Decoding in bulk: the same answers as `envelope.decode`, for those who read a whole log.

A log has millions of messages of few shapes: everything in the prefix but seq and sent_at repeats.
So the first 24 bytes, once checked, are remembered with the places of the parts, and the next
message that starts with them needs none of the checks again. Whatever is not plain goes to
`envelope.decode`, which decides what it is and what is wrong with it.

    decoder = MessageDecoder()
    group, maybe_message = decoder.decode(content, origin)   # None: an envelope of another kind

Whoever needs no value at all for plain messages takes the bare parts of many, group by group::

    groups, parts = [], defaultdict(list)
    decoder.cut(contents, groups, parts)
    groups      [b"floor", b"desk", b"floor"]                    # contents[3] is not plain: decode
    parts       {b"floor": ["ann#1", 7, "bob#1", 3, contents[0], 0,       # an answer to bob's third
                            "ann#1", 8, "", 0, contents[2], 2],
                 b"desk":  ["eve#1", 1, "", 0, contents[1], 1]}
"""

from collections import defaultdict
from collections.abc import Callable, Iterable
from struct import Struct
from typing import Any, Final, NamedTuple, TypeAlias

from ingest.wire import bounds
from ingest.wire.envelope import PREFIX_BYTES, Kind, decode, message_of
from ingest.wire.errors import WireError
from ingest.wire.names import group_of, member_of
from ordering.values import GroupId, Message, MessageId

SHAPES: Final = 8192
"""Shapes that are remembered: lengths of names and payloads vary, and each costs some 300 bytes."""

PIDS: Final = 65_536
"""Names that `cut` knows: some 10 MB. When there are more it begins anew."""

_SHAPE_BYTES: Final = 24
_NUMBERS: Final = Struct(">QQ")
_LENGTHS: Final = Struct(">4xBBBBHHHHI")
_PARENT: Final = Struct(">QH")
_PARENT_BYTES: Final = _PARENT.size
# Names of this module are found faster than those of another, and this is done for every message.
_SEQ_LAST: Final = bounds.SEQ_LAST
_SENT_AT_LAST: Final = bounds.SENT_AT_LAST
_numbers_of = _NUMBERS.unpack_from
_parent_of = _PARENT.unpack_from
_new = tuple.__new__


Cut: TypeAlias = Callable[[bytes], tuple[Any, ...]]
PartsByGroup: TypeAlias = defaultdict[bytes, list[Any]]
"""by the bytes of the group's name, one after the other for each of its messages: sender, seq, the
parent's sender and seq, or "" and 0, the message's bytes, and its place"""


class _Names(dict[bytes, str]):
    """Pids by their bytes, so that a name is one object and is checked once."""

    def __missing__(self, raw: bytes) -> str:
        """Remember a pid; raises WireError if the bytes are none."""
        pid = member_of(raw)
        if len(self) >= PIDS:
            self.clear()
        self[raw] = pid
        return pid


class _Shape(NamedTuple):
    """Where the parts of a message lie; `cut` takes them all at once."""

    size: int
    after_group: int
    after_sender: int
    after_parents: int
    cut: Cut
    parent_length: int
    """of the parent's name, if there is one; 0 where there is none"""


class MessageDecoder:
    """Decodes messages and remembers their shapes. One for each reader; not for several threads."""

    __slots__ = ("_names", "_shapes", "longest")

    def __init__(self) -> None:
        self.longest = 0
        """no message that `cut` takes is longer"""
        self._shapes: dict[bytes, _Shape] = {}
        self._names = _Names()

    def cut(self, contents: Iterable[bytes], groups: list[bytes], parts: PartsByGroup) -> None:
        """Add the parts of messages that are in order and of a known shape, with at most one parent
        and without stamps; end before the first that is anything else, which `decode` must judge.

        A message's place is how many `groups` there are before it. A group's bytes are not looked
        at: they are a known group's, or `decode` must judge them.
        """
        find, names, add_group = self._shapes.get, self._names, groups.append
        place = len(groups)
        for data in contents:
            shape = find(data[:_SHAPE_BYTES])
            if shape is None or shape[0] != len(data):
                return
            try:
                if parent_length := shape[5]:
                    seq, sent_at, group, sender, parent_seq, length, parent = shape[4](data)
                    if length != parent_length or seq <= 0 or parent_seq <= 0 or sent_at < 0:
                        return
                    found = (names[sender], seq, names[parent], parent_seq, data, place)
                else:
                    seq, sent_at, group, sender = shape[4](data)
                    if seq <= 0 or sent_at < 0:
                        return
                    found = (names[sender], seq, "", 0, data, place)
            except WireError:
                return
            parts[group].extend(found)
            add_group(group)
            place += 1

    def decode(self, data: bytes, origin: tuple[int, ...]) -> tuple[GroupId, Message | None]:
        """Give the group and the message; None for an envelope that is no message.

        Raises WireError and nothing else, and exactly when `envelope.decode` does.
        """
        shape = self._shapes.get(data[:_SHAPE_BYTES])
        if shape is None or shape[0] != len(data):
            return self._decode_with_care(data, origin)
        after_group, after_sender, after_parents = shape[1:4]
        seq, sent_at = _numbers_of(data, _SHAPE_BYTES)
        if not 0 < seq <= _SEQ_LAST or sent_at > _SENT_AT_LAST:
            return self._decode_with_care(data, origin)
        try:
            group = group_of(data[PREFIX_BYTES:after_group])
            sender = member_of(data[after_group:after_sender])
            if after_parents == after_sender:
                parents: tuple[MessageId, ...] = ()
            else:
                parent_seq, length = _parent_of(data, after_sender)
                named_at = after_sender + _PARENT_BYTES
                if named_at + length != after_parents or not 0 < parent_seq <= _SEQ_LAST:
                    return self._decode_with_care(data, origin)
                parent = member_of(data[named_at:after_parents])
                parents = (_new(MessageId, (parent, parent_seq)),)
        except WireError:
            return self._decode_with_care(data, origin)
        message_id = _new(MessageId, (sender, seq))
        return group, _new(Message, (message_id, parents, data, None, origin))

    def _decode_with_care(
        self, data: bytes, origin: tuple[int, ...]
    ) -> tuple[GroupId, Message | None]:
        envelope = decode(data)
        if envelope.kind is not Kind.MESSAGE:
            return envelope.group, None
        if envelope.stamps is None and len(self._shapes) < SHAPES:
            self._learn(data)
        return envelope.group, message_of(envelope, data, origin)

    def _learn(self, data: bytes) -> None:
        """Remember the shape of a message that is in order and has no stamps."""
        _, _, _, _, group, sender, parents, _, _ = _LENGTHS.unpack_from(data)
        if parents and parents <= _PARENT_BYTES:
            return
        after_group = PREFIX_BYTES + group
        after_sender = after_group + sender
        after_parents = after_sender + parents
        # Read as signed numbers, those beyond their bounds (2^63-1) are below 0.
        names = f">{_SHAPE_BYTES}xqq{group}s{sender}s"
        named = parents - _PARENT_BYTES
        cut = Struct(f"{names}qH{named}s" if parents else names).unpack_from
        shape = _Shape(
            len(data), after_group, after_sender, after_parents, cut, named if parents else 0
        )
        self._shapes[data[:_SHAPE_BYTES]] = shape
        self.longest = max(self.longest, len(data))
