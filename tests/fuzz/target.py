"""A fuzz target: one parser, what it may raise, and what its format looks like."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import NamedTuple

from tests.fuzz.mutator import Field

Run = Callable[[bytes], str]
"""Parses, checks what must hold of the result, and names the outcome. Whatever it raises is a
crash."""

Mend = Callable[[bytes, Random], bytes]
"""Puts a sum or a checksum right again, so that what stands behind it is reached too."""


def unmended(data: bytes, _: Random) -> bytes:
    """For a format without sums."""
    return data


class Target(NamedTuple):
    """One parser under attack."""

    name: str
    run: Run
    examples: tuple[bytes, ...]
    fields: Sequence[Field] = ()
    tokens: Sequence[bytes] = (b"\0",)
    mend: Mend = unmended
