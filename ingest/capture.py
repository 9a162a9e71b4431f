"""Capture one multicast group: a thread, a blocking socket, a few hundred datagrams at a time.

Every datagram that the kernel hands over is counted and given on with the kernel's own time of its
arrival; what the kernel had to drop is counted by the kernel. Hence `received + kernel_drops` is
what reached the machine, whatever happens.

A plain blocking read in a thread, because an event loop loses most of a fast stream: it asks the
kernel twice for each datagram.
"""

import threading
from collections import Counter
from typing import Final

from ingest.batch_reader import BatchReader
from ingest.datagram import Datagram, Take
from ingest.wire.errors import MulticastError
from ingest.wire.multicast import (
    Receiver,
    Subscription,
    dropped_by_kernel,
    leave,
    open_receiver,
)

_LOOK_UP_EVERY_S: Final = 0.1
"""How long a read waits before the thread looks whether it shall stop."""

_DROPS_WRAP: Final = 2**32
"""The kernel counts in 32 bits, and begins again at 0."""


class Capture:
    """Reads one group until it is stopped. Made and started by the agent, one for each address."""

    def __init__(
        self, subscription: Subscription, *, interface: str, buffer_bytes: int, take: Take
    ) -> None:
        """Join the group, on `interface` if the subscription names none of its own.

        `take` gets all datagrams, in the capture thread, and may block. Raises MulticastError if
        the group can't be joined.
        """
        self.subscription = subscription
        self.maybe_failure: Exception | None = None
        self._take = take
        self._taken = 0
        self._is_stopping = False
        self._receiver: Receiver = open_receiver(
            subscription.group,
            interface=subscription.maybe_interface or interface,
            buffer_bytes=buffer_bytes,
            wait_at_most_s=_LOOK_UP_EVERY_S,
            maybe_source=subscription.maybe_source,
        )
        self._reader = BatchReader(self._receiver)
        self._kernel_drops = 0
        self._drops_lock = threading.Lock()
        self._require_counted_drops()
        self._thread = threading.Thread(
            target=self._run, name=f"capture {subscription}", daemon=True
        )

    @property
    def received(self) -> int:
        """How many datagrams the kernel handed over."""
        return self._taken + self._reader.oversized

    @property
    def oversized(self) -> int:
        """How many datagrams were longer than any may be; counted, not given on."""
        return self._reader.oversized

    @property
    def kernel_drops(self) -> int:
        """How many datagrams the kernel had no room for, up to now and exactly.

        Asked of the kernel itself (SO_MEMINFO): the count that it can send along with a datagram
        (SO_RXQ_OVFL) is the same, but would not tell of drops after the last one.
        """
        with self._drops_lock:
            maybe_drops = dropped_by_kernel(self._receiver.socket)
            if maybe_drops is not None:
                self._kernel_drops += (maybe_drops - self._kernel_drops) % _DROPS_WRAP
            return self._kernel_drops

    @property
    def left_out(self) -> Counter[str]:
        """Nothing: all that the kernel hands over is a datagram."""
        return Counter()

    @property
    def has_finished(self) -> bool:
        """Never: a group has no end."""
        return False

    @property
    def buffer_got_bytes(self) -> int:
        """The buffer that the kernel gave; it may be less than was asked for."""
        return self._receiver.buffer_got_bytes

    def start(self) -> None:
        """Begin to read. What arrived since the group was joined waits in the kernel's buffer."""
        self._thread.start()

    def ask_to_stop(self) -> None:
        """Ask the thread to leave the group, hand on what has already arrived, and end."""
        self._is_stopping = True

    def has_ended(self, *, within_s: float) -> bool:
        """Wait for the end and say whether it came; one that was never started ends at once."""
        if self._thread.ident is None:
            self._receiver.socket.close()
            return True
        self._thread.join(within_s)
        return not self._thread.is_alive()

    def _require_counted_drops(self) -> None:
        if dropped_by_kernel(self._receiver.socket) is None:
            self._receiver.socket.close()
            raise MulticastError(
                "this kernel does not tell how many datagrams it drops (SO_MEMINFO); capture on"
                " Linux 4.12 or newer"
            )

    def _run(self) -> None:
        try:
            self._read()
        except Exception as error:  # the thread has no caller: the agent looks here
            self.maybe_failure = error
        finally:
            _ = self.kernel_drops
            self._receiver.socket.close()

    def _read(self) -> None:
        """Read until asked to stop; then leave the group and read what the kernel still has."""
        read = self._reader.read
        while not self._is_stopping:
            self._hand_on(read(may_wait=True))
        leave(self._receiver)
        while batch := read(may_wait=False):
            self._hand_on(batch)

    def _hand_on(self, batch: list[Datagram]) -> None:
        if batch:
            self._taken += len(batch)
            self._take(batch)
