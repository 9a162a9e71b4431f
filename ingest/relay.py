"""The fault relay: listens to one multicast group and repeats it, damaged on purpose, to another.

    members ─> 239.255.80.1 ─> relay (loses, repeats, shuffles by a seed) ─> 239.255.80.2 ─> agent

Started by `precede relay`, the demo and the tests. All decisions are `ingest/faults.py`'s; here are
only sockets and the clock. When it is stopped it leaves the group and sends at once whatever still
waits, so that a relay that ends loses nothing that it was not told to lose.
"""

import threading
import time
from typing import Final

from ingest.errors import RelayError
from ingest.faults import FaultCounters, Faults, FaultSchedule
from ingest.wire.multicast import (
    DATAGRAM_BYTES,
    GroupAddress,
    leave,
    open_receiver,
    open_sender,
    send,
)

_BUFFER_BYTES: Final = 4 * 1024 * 1024
_LOOK_UP_EVERY_S: Final = 0.1
_MICROSECONDS_PER_SECOND: Final = 1_000_000
_NANOSECONDS_PER_MICROSECOND: Final = 1_000


class Relay:
    """A relay that has joined its group. `run` it, once."""

    def __init__(
        self,
        faults: Faults,
        *,
        source: GroupAddress,
        target: GroupAddress,
        interface: str,
        maybe_target_interface: str | None = None,
        hops: int = 1,
    ) -> None:
        """Join. Raises RelayError if it would hear itself, MulticastError if it can't join."""
        target_interface = maybe_target_interface or interface
        if source == target and interface == target_interface:
            raise RelayError(
                f"the relay listens to {source} and would send there too, and hear itself for ever;"
                " give another address, port or interface to send to"
            )
        self._schedule = FaultSchedule(faults)
        self._target = target
        self._sender = open_sender(interface=target_interface, hops=hops, is_ipv6=target.is_ipv6)
        try:
            self._receiver = open_receiver(
                source,
                interface=interface,
                buffer_bytes=_BUFFER_BYTES,
                wait_at_most_s=_LOOK_UP_EVERY_S,
            )
        except BaseException:
            self._sender.close()
            raise

    @property
    def counters(self) -> FaultCounters:
        """What was done so far."""
        return self._schedule.counters

    def run(self, *, is_stopping: threading.Event) -> None:
        """Relay until `is_stopping` is set; then send what waits, and return."""
        try:
            while not is_stopping.is_set():
                self._receive_for(self._patience_s())
                self._send(self._schedule.due(now=_now()))
            leave(self._receiver)
            while self._receive_for(0.0):
                pass
            self._send(self._schedule.rest())
        finally:
            self._receiver.socket.close()
            self._sender.close()

    def _patience_s(self) -> float:
        """How long the relay may wait for a datagram before something else is due."""
        maybe_deadline = self._schedule.next_deadline()
        if maybe_deadline is None:
            return _LOOK_UP_EVERY_S
        left_s = (maybe_deadline - _now()) / _MICROSECONDS_PER_SECOND
        return min(max(left_s, 0.0), _LOOK_UP_EVERY_S)

    def _receive_for(self, seconds: float) -> bool:
        """Wait for one datagram; say whether one came."""
        self._receiver.socket.settimeout(seconds)
        try:
            datagram = self._receiver.socket.recv(DATAGRAM_BYTES)
        except (TimeoutError, BlockingIOError):
            return False
        self._schedule.receive(datagram, now=_now())
        return True

    def _send(self, datagrams: list[bytes]) -> None:
        for datagram in datagrams:
            send(self._sender, datagram, to=self._target)


def _now() -> int:
    return time.monotonic_ns() // _NANOSECONDS_PER_MICROSECOND
