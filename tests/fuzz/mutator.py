"""Change bytes as a hostile or broken sender would. Values in, values out; all chance by seed.

Half of the changes know nothing of the format (bits, bytes, slices); the others know its numbers
(`Field`: where a length or a count stands) and its words (`tokens`: magics, names, markers).
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Final, Literal, NamedTuple

MOST_BYTES: Final = 70_000
"""Just above the longest datagram: longer inputs only cost time."""

MOST_CHANGES: Final = 4
"""Changes of one input, half of the time one; with more it is noise, refused at the first byte."""

_INTERESTING: Final = (0, 1, 2, 127, 128, 255, 256, 32_767, 32_768, 65_535, 65_536)


class Field(NamedTuple):
    """A number in the format: its first byte and how many it has, big- or little-endian."""

    start: int
    size: int
    order: Literal["big", "little"] = "big"


class Mutator:
    """Draws changes from a seeded source. One for each run of a target."""

    def __init__(
        self,
        chance: random.Random,
        *,
        fields: Sequence[Field] = (),
        tokens: Sequence[bytes] = (b"\0",),
    ) -> None:
        self._random = chance.random
        self._fields = tuple(fields)
        self._tokens = tuple(tokens)
        self._changes: list[Callable[[bytearray, bytes], None]] = [
            self._flip, self._set, self._cut, self._delete, self._double, self._splice, self._grow,
        ]  # fmt: skip
        self._changes += [self._field] * 5 if fields else []
        self._changes += [self._token] * 2

    def mutate(self, data: bytes, other: bytes) -> bytes:
        """Give changed bytes; `other` is another input, from which a slice may be taken."""
        changed = bytearray(data)
        changes = 1 if self._random() < 0.5 else 1 + self._below(MOST_CHANGES)
        for _ in range(changes):
            self._changes[self._below(len(self._changes))](changed, other)
        return bytes(changed[:MOST_BYTES])

    def _below(self, limit: int) -> int:
        return int(self._random() * limit)

    def _flip(self, data: bytearray, _: bytes) -> None:
        if data:
            data[self._below(len(data))] ^= 1 << self._below(8)

    def _set(self, data: bytearray, _: bytes) -> None:
        if data:
            data[self._below(len(data))] = (0, 255, self._below(256))[self._below(3)]

    def _cut(self, data: bytearray, _: bytes) -> None:
        del data[self._below(len(data) + 1) :]

    def _delete(self, data: bytearray, _: bytes) -> None:
        start = self._below(len(data) + 1)
        del data[start : start + 1 + self._below(16)]

    def _double(self, data: bytearray, _: bytes) -> None:
        start = self._below(len(data) + 1)
        piece = data[start : start + 1 + self._below(64)]
        data[start:start] = piece * (1 + self._below(3))

    def _splice(self, data: bytearray, other: bytes) -> None:
        start = self._below(len(other) + 1)
        piece = other[start : start + 1 + self._below(64)]
        at = self._below(len(data) + 1)
        data[at : at + len(piece) * self._below(2)] = piece

    def _grow(self, data: bytearray, _: bytes) -> None:
        rare = self._random() < 0.01
        data += bytes([self._below(256)]) * (1 + self._below(20_000 if rare else 40))

    def _token(self, data: bytearray, _: bytes) -> None:
        token = self._tokens[self._below(len(self._tokens))]
        at = self._below(len(data) + 1)
        data[at : at + len(token) * self._below(2)] = token

    def _field(self, data: bytearray, _: bytes) -> None:
        """Let a number lie: another size, one more or less, the bound, all bits."""
        start, size, order = self._fields[self._below(len(self._fields))]
        if start + size > len(data):
            return
        value = int.from_bytes(data[start : start + size], order)
        kind = self._below(5)
        if kind == 0:
            value += 1
        elif kind == 1:
            value -= 1
        elif kind == 2:
            value = len(data) - self._below(60)
        elif kind == 3:
            value = _INTERESTING[self._below(len(_INTERESTING))]
        else:
            value = -1 - self._below(2)
        value &= (1 << 8 * size) - 1
        data[start : start + size] = value.to_bytes(size, order)
