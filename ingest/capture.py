"""Capture one multicast group: a thread, a blocking socket, one buffer.

Every datagram that the kernel hands over is counted and given on; what the kernel had to drop is
counted by the kernel. Hence `received + kernel_drops` is what reached the machine, whatever
happens.

A plain blocking read in a thread, because an event loop loses most of a fast stream: it asks the
kernel twice for each datagram.
"""

import socket
import struct
import threading
from collections.abc import Callable
from typing import Final

from ingest.wire.multicast import (
    DATAGRAM_BYTES,
    SO_RXQ_OVFL,
    GroupAddress,
    Receiver,
    dropped_by_kernel,
    leave,
    open_receiver,
)

_LOOK_UP_EVERY_S: Final = 0.1
"""How long a read waits before the thread looks whether it shall stop."""

_DROPS: Final = struct.Struct("@I")
_ANCILLARY_BYTES: Final = socket.CMSG_SPACE(_DROPS.size)


class Capture:
    """Reads one group until it is stopped. Made and started by the agent, one for each address."""

    def __init__(
        self,
        group: GroupAddress,
        *,
        interface: str,
        buffer_bytes: int,
        take: Callable[[bytes], None],
    ) -> None:
        """Join the group; `take` gets every datagram, in the capture thread, and may block.

        Raises MulticastError if the group can't be joined.
        """
        self.group = group
        self.received = 0
        self.oversized = 0
        self.kernel_drops = 0
        self.maybe_failure: Exception | None = None
        self._interface = interface
        self._take = take
        self._is_stopping = False
        self._receiver: Receiver = open_receiver(
            group, interface=interface, buffer_bytes=buffer_bytes, wait_at_most_s=_LOOK_UP_EVERY_S
        )
        self.buffer_got_bytes = self._receiver.buffer_got_bytes
        self._thread = threading.Thread(target=self._run, name=f"capture {group}", daemon=True)

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

    def _run(self) -> None:
        try:
            self._read()
        except Exception as error:  # the thread has no caller: the agent looks here
            self.maybe_failure = error
        finally:
            maybe_drops = dropped_by_kernel(self._receiver.socket)
            if maybe_drops is not None:
                self.kernel_drops = maybe_drops
            self._receiver.socket.close()

    def _read(self) -> None:
        """Read until asked to stop; then leave the group and read what the kernel still has."""
        view = memoryview(bytearray(DATAGRAM_BYTES + 1))
        buffers = [view]
        receive = self._receiver.socket.recvmsg_into
        take = self._take
        flags = 0
        while True:
            if self._is_stopping and not flags:
                leave(self._receiver.socket, self.group, interface=self._interface)
                flags = socket.MSG_DONTWAIT
            try:
                size, ancillary, message_flags, _ = receive(buffers, _ANCILLARY_BYTES, flags)
            except BlockingIOError:
                if flags:
                    return
                continue
            self.received += 1
            for level, kind, value in ancillary:
                if level == socket.SOL_SOCKET and kind == SO_RXQ_OVFL:
                    self.kernel_drops = _DROPS.unpack(value)[0]
            if message_flags & socket.MSG_TRUNC:
                self.oversized += 1
                continue
            take(bytes(view[:size]))
