"""A stranger on the ether: what it sends, no member may take, and all must survive.

It overhears what honest members send, so that it can replay it (a duplicate), cut it, or put it
under another group. It does not forge well-formed messages under new names: without
authentication those are messages like any other, and with it (`members.post`) they are refused
before anything here.
"""

from __future__ import annotations

from random import Random
from typing import Final

from ingest.wire.envelope import PREFIX_BYTES, Envelope, Kind, decode, encode
from ingest.wire.multicast import DATAGRAM_BYTES
from ordering.values import GroupId, MemberId

OVERHEARD: Final = 64
"""How many datagrams it remembers."""


class Stranger:
    """Makes bad datagrams."""

    def __init__(self, rng: Random) -> None:
        self._rng = rng
        self._overheard: list[bytes] = []

    def overhear(self, datagram: bytes) -> None:
        """Remember what went by."""
        if len(self._overheard) < OVERHEARD:
            self._overheard.append(datagram)
        else:
            self._overheard[int(self._rng.random() * OVERHEARD)] = datagram

    def datagram(self) -> bytes:
        """Make one bad datagram."""
        makers = (self._noise, self._cut, self._replayed, self._moved, self._huge, self._empty)
        return makers[int(self._rng.random() * len(makers))]()

    def _some(self) -> bytes:
        if not self._overheard:
            return b""
        return self._overheard[int(self._rng.random() * len(self._overheard))]

    def _noise(self) -> bytes:
        return self._rng.randbytes(int(self._rng.random() * 200))

    def _cut(self) -> bytes:
        whole = self._some()
        return whole[: int(self._rng.random() * len(whole))]

    def _replayed(self) -> bytes:
        return self._some()

    def _moved(self) -> bytes:
        whole = self._some()
        if not whole:
            return b""
        envelope = decode(whole)
        return encode(envelope._replace(group=GroupId("elsewhere")))

    def _huge(self) -> bytes:
        return b"PRCD" + bytes(DATAGRAM_BYTES)

    def _empty(self) -> bytes:
        """A record of a known kind whose body is cut."""
        kind = Kind.SYNCHRONISATION if self._rng.random() < 0.5 else Kind.GROUP_MANAGEMENT
        body = self._rng.randbytes(int(self._rng.random() * PREFIX_BYTES))
        envelope = Envelope(kind, GroupId("population"), MemberId("mallory#1"), 1, payload=body)
        return encode(envelope)
