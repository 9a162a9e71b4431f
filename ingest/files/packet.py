"""One record of a capture file, and the tally of what became of all of them."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Final, NamedTuple

MOST_PACKET_BYTES: Final = 1024 * 1024
"""The longest record that is read. Capture tools keep at most 256 kB of a packet, and no datagram
of UDP has more than 64 kB; a longer one is a length that lies."""


class Packet(NamedTuple):
    """What was on the wire at one instant."""

    link_type: int
    captured_at: int
    """Microseconds since the epoch."""
    data: bytes
    is_cut: bool
    """Whether the packet had more bytes than the file kept."""


@dataclass(slots=True)
class Tally:
    """What became of the records. `records == datagrams + joined + sum of left_out`, at the end."""

    records: int = 0
    datagrams: int = 0
    joined: int = 0
    """Pieces beyond the first of each datagram that was sent in several."""
    left_out: Counter[str] = field(default_factory=Counter)
    """How many gave no datagram, by reason."""
    dropped_before: int = 0
    """How many packets the capturing machine lost, as far as the file says so."""
