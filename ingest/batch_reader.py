"""Read many datagrams from a socket with one call of the kernel (recvmmsg).

The capture thread shares Python's interpreter lock with all others of the agent. A thread that
reads one datagram at a time gives the lock away for each of them, and waits for it again each time
that another thread is busy; one that reads a few hundred at a time waits once for all of them. It
also costs a third less per datagram.

    slot 0    | data ........................ |  who sent it  |  when it came  |
    slot 1    | data ........................ |  who sent it  |  when it came  |
    ...         one slot for each datagram of a call; made once and used again

Called by the capture thread, the only one that may read. Linux's layout of msghdr, with native
sizes and alignment.
"""

import ctypes
import errno
import ipaddress
import os
import socket
import struct
import time
from typing import Final

from ingest.datagram import Datagram
from ingest.wire.addresses import written
from ingest.wire.multicast import SO_TIMESTAMPNS, Receiver

MOST_AT_ONCE: Final = 256
"""Datagrams that one call may give: 5 ms of a stream of 50,000/s, as long as another thread may
keep the interpreter. With the slots this bounds the memory of a reader to 17 MB, of which the
kernel hands out what is really used: 1 MB for short datagrams."""

_SLOT_BYTES: Final = 65_600
"""More than any datagram has, and not a power of two: the starts of slots would otherwise compete
for the same few lines of the processor's cache."""

_NAME_BYTES: Final = 28
_CONTROL_BYTES: Final = 64
_MSG_WAITFORONE: Final = 0x10000
_MICROSECONDS_PER_SECOND: Final = 1_000_000
_NANOSECONDS_PER_MICROSECOND: Final = 1_000

_KNOWN_SOURCES: Final = 4_096
"""Senders whose written address is remembered, so that a busy one's is written once. Some 1 MB."""

_HEADER: Final = struct.Struct("@P I P N P N i0P I0P")
"""Of each datagram: name, its length; vectors, how many; control, its length; flags; and the
length of the data, which the kernel fills in."""
_FLAGS_AND_SIZE: Final = struct.Struct(f"@{struct.calcsize('@P I P N P N')}x i0P I0P")
"""What is read of it afterwards."""
_VECTOR: Final = struct.Struct("@P N")
_ARRIVAL: Final = struct.Struct(f"@{struct.calcsize('@N i')}x i l l {_CONTROL_BYTES - 32}x")
"""The first control message of a datagram: its kind, seconds, nanoseconds."""
_FAMILY_PORT: Final = struct.Struct("@H2s")

_library: Final = ctypes.CDLL(None, use_errno=True)
_recvmmsg: Final = _library.recvmmsg
_recvmmsg.argtypes = (
    ctypes.c_int, ctypes.c_void_p, ctypes.c_uint, ctypes.c_int, ctypes.c_void_p,
)  # fmt: skip
_recvmmsg.restype = ctypes.c_int


class BatchReader:
    """Reads one receiver's socket. Made by the capture; not for two threads at once."""

    def __init__(self, receiver: Receiver) -> None:
        self.oversized = 0
        """Datagrams that did not fit a slot; the kernel cut them, and they are not given on."""
        self._socket = receiver.socket
        self._group = receiver.group
        self._sources: dict[bytes, str] = {}
        self._data = bytearray(MOST_AT_ONCE * _SLOT_BYTES)
        self._view = memoryview(self._data)
        self._names = bytearray(MOST_AT_ONCE * _NAME_BYTES)
        self._names_view = memoryview(self._names)
        self._controls = bytearray(MOST_AT_ONCE * _CONTROL_BYTES)
        self._vectors = bytearray(
            b"".join(
                _VECTOR.pack(_start_of(self._data) + slot * _SLOT_BYTES, _SLOT_BYTES)
                for slot in range(MOST_AT_ONCE)
            )
        )
        self._fresh_headers = self._headers_for_all_slots()
        self._headers = bytearray(self._fresh_headers)
        self._headers_at = _start_of(self._headers)

    def read(self, *, may_wait: bool) -> list[Datagram]:
        """Give what has arrived, at most `MOST_AT_ONCE`, in its order; nothing if nothing has.

        It waits for the first one, as long as the receiver was opened for, if it may.
        """
        flags = _MSG_WAITFORONE if may_wait else socket.MSG_DONTWAIT
        count = _recvmmsg(self._socket.fileno(), self._headers_at, MOST_AT_ONCE, flags, None)
        if count < 0:
            number = ctypes.get_errno()
            if number in (errno.EAGAIN, errno.EINTR):
                return []
            raise OSError(number, os.strerror(number))
        return self._taken_out(count)

    def _taken_out(self, count: int) -> list[Datagram]:
        """Copy datagrams out of the first slots, and make the slots ready for the next call."""
        view, names, sources, group = self._view, self._names_view, self._sources, self._group
        batch: list[Datagram] = []
        new = tuple.__new__  # skips the named constructor's own frame, a tenth of all this costs
        headers = self._headers[: count * _HEADER.size]
        arrivals = self._controls[: count * _CONTROL_BYTES]
        data_at = name_at = 0
        for header, arrival in zip(
            _FLAGS_AND_SIZE.iter_unpack(headers), _ARRIVAL.iter_unpack(arrivals), strict=True
        ):
            flags, size = header
            kind, seconds, nanoseconds = arrival
            name = bytes(names[name_at : name_at + _NAME_BYTES])
            if flags & socket.MSG_TRUNC:
                self.oversized += 1
            else:
                captured_at = (
                    seconds * _MICROSECONDS_PER_SECOND + nanoseconds // _NANOSECONDS_PER_MICROSECOND
                    if kind == SO_TIMESTAMPNS
                    else _now()
                )
                source = sources.get(name) or self._written(name)
                data = bytes(view[data_at : data_at + size])
                batch.append(new(Datagram, (data, captured_at, source, group)))
            data_at += _SLOT_BYTES
            name_at += _NAME_BYTES
        self._headers[: len(headers)] = self._fresh_headers[: len(headers)]
        return batch

    def _headers_for_all_slots(self) -> bytes:
        vectors, names = _start_of(self._vectors), _start_of(self._names)
        controls = _start_of(self._controls)
        return b"".join(
            _HEADER.pack(
                names + slot * _NAME_BYTES, _NAME_BYTES,
                vectors + slot * _VECTOR.size, 1,
                controls + slot * _CONTROL_BYTES, _CONTROL_BYTES,
                0, 0,
            )
            for slot in range(MOST_AT_ONCE)
        )  # fmt: skip

    def _written(self, name: bytes) -> str:
        """Write a sender's address, and remember it: most datagrams come from few senders."""
        if len(self._sources) >= _KNOWN_SOURCES:
            self._sources.clear()
        family, port = _FAMILY_PORT.unpack_from(name)
        packed = name[8:24] if family == socket.AF_INET6 else name[4:8]
        text = written(str(ipaddress.ip_address(packed)), int.from_bytes(port, "big"))
        self._sources[name] = text
        return text


def _start_of(room: bytearray) -> int:
    return ctypes.addressof((ctypes.c_char * len(room)).from_buffer(room))


def _now() -> int:
    return time.time_ns() // _NANOSECONDS_PER_MICROSECOND
