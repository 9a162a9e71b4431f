"""A sender for the capture benchmark: real envelopes at a steady rate, in small bursts.

    python -m benchmarks.capture_sender --group 239.255.80.1:5080 --per-s 50000 --seconds 60

A process of its own, so that it shares nothing with the capture but the machine. Each burst is one
call of the kernel, which cuts it into datagrams (UDP_SEGMENT): that costs a sixth of a call for
each, and leaves most of the machine to the capture. A sender that is late catches up on at most
`_MOST_LATE_S`, so that a stalled machine does not turn into a flood. It ends by printing how many
datagrams the kernel took, as one JSON object.
"""

import argparse
import json
import socket
import struct
import sys
import time
from collections.abc import Sequence
from typing import Final

from ingest.wire.envelope import Envelope, Kind, encode
from ingest.wire.multicast import LOOPBACK_INTERFACE, GroupAddress, open_sender, parse_group_address
from ordering.values import GroupId, MemberId

BURST: Final = 32
"""Datagrams of one call: 0.6 ms of a stream of 50,000/s."""

_MOST_LATE_S: Final = 0.05
_SEQ_AT: Final = 24
_SEQ: Final = struct.Struct(">Q")
# Numbers of Linux that Python 3.11 has no names for.
_SOL_UDP: Final = 17
_UDP_SEGMENT: Final = 103


def envelope_of(size: int) -> bytes:
    """Give an envelope of exactly this many bytes; its seq is written over for each datagram."""
    empty = Envelope(Kind.MESSAGE, GroupId("bench"), MemberId("sender#1"), 1)
    room = size - len(encode(empty))
    if room < 0:
        raise ValueError(f"an envelope of {size} bytes is too short; at least {size - room}")
    return encode(empty._replace(payload=b"x" * room))


class Burst:
    """`BURST` datagrams that go out with one call, numbered anew each time."""

    def __init__(self, sender: socket.socket, *, size: int) -> None:
        sender.setsockopt(_SOL_UDP, _UDP_SEGMENT, size)
        self._sender = sender
        self._size = size
        self._data = bytearray(envelope_of(size) * BURST)
        self._view = memoryview(self._data)

    def send(self, count: int, *, first_seq: int) -> None:
        """Send `count` datagrams; the kernel takes all of them, or raises."""
        for number in range(count):
            _SEQ.pack_into(self._data, number * self._size + _SEQ_AT, first_seq + number)
        self._sender.send(self._view[: count * self._size])


def send_steadily(to: GroupAddress, *, per_s: int, seconds: float, size: int) -> tuple[int, float]:
    """Send for some seconds at a rate; give how many went out, and how long it took."""
    with open_sender(interface=LOOPBACK_INTERFACE, is_ipv6=to.is_ipv6) as sender:
        sender.connect(to)
        burst = Burst(sender, size=size)
        total = round(per_s * seconds)
        sent = 0
        started_s = due_s = time.monotonic()
        while sent < total:
            now_s = time.monotonic()
            if now_s < due_s:
                time.sleep(due_s - now_s)
                continue
            due_s = max(due_s, now_s - _MOST_LATE_S)
            count = min(BURST, total - sent)
            burst.send(count, first_seq=sent + 1)
            sent += count
            due_s += count / per_s
        return sent, time.monotonic() - started_s


def main(arguments: Sequence[str] | None = None) -> int:
    """Send as the shell asks for it, and print what went out."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.capture_sender")
    parser.add_argument("--group", type=parse_group_address, required=True)
    parser.add_argument("--per-s", type=int, required=True)
    parser.add_argument("--seconds", type=float, required=True)
    parser.add_argument("--bytes", type=int, default=200)
    chosen = parser.parse_args(arguments)
    sent, took_s = send_steadily(
        chosen.group, per_s=chosen.per_s, seconds=chosen.seconds, size=chosen.bytes
    )
    print(json.dumps({"sent": sent, "took_s": took_s}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
