"""Join datagrams that were sent in pieces, within bounds.

    offset      0 ........ 1480 ........ 2960 .... 3000        in any order, perhaps twice
    pieces      [ first   ][ second     ][ last   ]

Pieces that contradict each other (the same place, other bytes; beyond the end) spoil the whole
datagram: which of them is right can't be known. The same piece twice is harmless. A datagram whose
pieces do not all come within `PATIENCE_US` of the file's own time is given up, because its number
will be used again; the oldest is given up when there are too many.
"""

from typing import Final, NamedTuple

from ingest.files.errors import FileReason
from ingest.files.internet import InternetPacket
from ingest.files.packet import Tally

MOST_OPEN: Final = 1_024
"""Datagrams that are waiting for pieces at once; with the next two bounds, 64 MB at the worst."""
MOST_DATAGRAM_BYTES: Final = 65_535
MOST_PIECES: Final = 512
"""Of one datagram: a full one over links of 576 bytes has 119."""
PATIENCE_US: Final = 30_000_000
"""Between the 15 s and 60 s that the standards of IPv4 and IPv6 name."""

_Key = tuple[bytes, bytes, int]


class _Open(NamedTuple):
    """A datagram of which some pieces have come."""

    began_at: int
    pieces: dict[int, bytes]


class Reassembler:
    """Takes pieces and gives whole packets. One for each file."""

    def __init__(self, tally: Tally) -> None:
        self._tally = tally
        # In the order in which they began, as dictionaries keep it: the oldest is first.
        self._open: dict[_Key, _Open] = {}
        self._ends: dict[_Key, int] = {}

    def join(self, packet: InternetPacket, *, now: int) -> InternetPacket | None:
        """Take one piece that was captured at `now`; give the whole packet if it was the last."""
        self._give_up_old(now)
        key = (packet.source, packet.target, packet.identification)
        if key not in self._open and len(self._open) == MOST_OPEN:
            self._give_up(next(iter(self._open)), FileReason.FRAGMENT_MISSING)
        pieces = self._open.setdefault(key, _Open(now, {})).pieces
        if packet.offset in pieces and pieces[packet.offset] == packet.content:
            self._tally.joined += 1
            return None
        if not self._fits(key, pieces, packet):
            self._tally.left_out[FileReason.BAD_FRAGMENT] += 1
            self._give_up(key, FileReason.BAD_FRAGMENT)
            return None
        pieces[packet.offset] = packet.content
        if not packet.has_more:
            self._ends[key] = packet.offset + len(packet.content)
        if sum(map(len, pieces.values())) != self._ends.get(key):
            return None
        del self._open[key], self._ends[key]
        self._tally.joined += len(pieces) - 1
        whole = b"".join(pieces[offset] for offset in sorted(pieces))
        return InternetPacket(packet.source, packet.target, whole)

    def end(self) -> None:
        """Give up all that still waits: the file has ended."""
        for key in list(self._open):
            self._give_up(key, FileReason.FRAGMENT_MISSING)

    def _fits(self, key: _Key, pieces: dict[int, bytes], packet: InternetPacket) -> bool:
        """Whether a piece lies inside the datagram and touches no other piece's place."""
        start, stop = packet.offset, packet.offset + len(packet.content)
        if start == stop or stop > MOST_DATAGRAM_BYTES or len(pieces) == MOST_PIECES:
            return False
        if packet.has_more and len(packet.content) % 8:
            return False
        end = self._ends.get(key)
        if end is not None and (not packet.has_more or stop > end):
            return False
        if not packet.has_more and any(at + len(piece) > stop for at, piece in pieces.items()):
            return False
        return all(at >= stop or at + len(piece) <= start for at, piece in pieces.items())

    def _give_up_old(self, now: int) -> None:
        while self._open:
            oldest = next(iter(self._open))
            if now - self._open[oldest].began_at <= PATIENCE_US:
                return
            self._give_up(oldest, FileReason.FRAGMENT_MISSING)

    def _give_up(self, key: _Key, reason: FileReason) -> None:
        given_up = self._open.pop(key)
        self._ends.pop(key, None)
        self._tally.left_out[reason] += len(given_up.pieces)
