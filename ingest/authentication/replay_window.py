"""Which seqs of one sender's incarnation were seen: a bitmap in an int.

    floor            base                       the highest seen
      |  all seen     |  some seen (bits)          |
    --+---------------+--1--11-1-------------------1-->  seq
    too old to tell      bit 0 is base, never set

Every seq from `floor` on is known exactly. In order, `base` follows the sender and there are no
bits; out of order, bits grow up to `width`, and then the floor is raised: what was missing so long
can't be told from what was seen. So the cost follows the disorder, and the memory is bounded.

    window = ReplayWindow(width=64)
    window.take(5), window.take(4), window.take(5)      # NEW, NEW, REPEAT

Called after the tag was checked, never before: else anyone could move a sender's window away.
"""

from enum import Enum, auto


class Seen(Enum):
    """What a window says of a seq."""

    NEW = auto()
    REPEAT = auto()
    BELOW = auto()


class ReplayWindow:
    """The seqs of one incarnation; begins with the first that it takes."""

    __slots__ = ("_base", "_bits", "_floor", "_width")

    def __init__(self, *, width: int, first: int = 1) -> None:
        """Begin just so low that `first` fits; what is lower can't be told."""
        self._width = width
        self._floor = self._base = max(1, first - width + 1)
        self._bits = 0

    def take(self, seq: int) -> Seen:
        """Say whether this seq was seen before, and mark it as seen."""
        offset = seq - self._base
        if offset == 0:
            self._base += 1
            self._bits >>= 1
            self._close_up()
            return Seen.NEW
        if offset < 0:
            return Seen.REPEAT if seq >= self._floor else Seen.BELOW
        if offset >= self._width:
            self._raise_floor(to=seq - self._width + 1)
            offset = seq - self._base
        bit = 1 << offset
        if self._bits & bit:
            return Seen.REPEAT
        self._bits |= bit
        self._close_up()
        return Seen.NEW

    def _close_up(self) -> None:
        """Move the base past everything that was seen without a gap."""
        bits = self._bits
        if bits & 1:
            run = (~bits & (bits + 1)).bit_length() - 1
            self._bits = bits >> run
            self._base += run

    def _raise_floor(self, *, to: int) -> None:
        self._bits >>= to - self._base
        self._floor = self._base = to
        self._close_up()
