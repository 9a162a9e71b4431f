"""A broker's door that refuses the first record: what a partition does that has no leader yet.

Stands between a client and a real broker. Everything passes, but the first produce request: that
one is answered with "not the leader", as soon as a second one has come or was waited for in vain.
The broker's own port is replaced in its answers, so that clients come back to this door.
"""

from __future__ import annotations

import socket
import struct
import threading
from contextlib import suppress
from typing import Final

from deploy.local.ports import LOOPBACK

_PRODUCE: Final = 0
_NOT_LEADER: Final = 6
_FLEXIBLE_SINCE: Final = 9
_PATIENCE_S: Final = 2.0
_HEAD: Final = struct.Struct(">hhi")
_NOWHERE: Final = -1


class RefusingProxy:
    """Serves while its context is open; for one topic with one partition."""

    def __init__(self, bootstrap: str, topic: str) -> None:
        self._broker = int(bootstrap.rpartition(":")[2])
        self._topic = topic.encode()
        self._server = socket.create_server((LOOPBACK, 0))
        self.port: int = self._server.getsockname()[1]
        self.requests = 0
        """how many produce requests have come"""
        self.came = threading.Condition()

    @property
    def bootstrap(self) -> str:
        """Where clients are to go."""
        return f"{LOOPBACK}:{self.port}"

    def __enter__(self) -> RefusingProxy:
        threading.Thread(target=self._serve, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.close()

    def wait_for_requests(self, count: int, *, within_s: float) -> bool:
        """Wait until so many produce requests have come."""
        with self.came:
            return self.came.wait_for(lambda: self.requests >= count, timeout=within_s)

    def _serve(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._server.accept()
                broker = socket.create_connection((LOOPBACK, self._broker))
                for work in (self._forward, self._bring_back):
                    threading.Thread(target=work, args=(client, broker), daemon=True).start()

    def _forward(self, client: socket.socket, broker: socket.socket) -> None:
        with suppress(OSError, EOFError):
            while True:
                frame = _frame_from(client)
                key, version, correlation = _HEAD.unpack_from(frame)
                if key == _PRODUCE and self._is_first():
                    answer = _refusal(correlation, version, self._topic)
                    threading.Thread(target=self._refuse, args=(client, answer)).start()
                else:
                    broker.sendall(struct.pack(">i", len(frame)) + frame)

    def _is_first(self) -> bool:
        with self.came:
            self.requests += 1
            self.came.notify_all()
            return self.requests == 1

    def _refuse(self, client: socket.socket, answer: bytes) -> None:
        self.wait_for_requests(2, within_s=_PATIENCE_S)
        client.sendall(struct.pack(">i", len(answer)) + answer)

    def _bring_back(self, client: socket.socket, broker: socket.socket) -> None:
        theirs, ours = struct.pack(">i", self._broker), struct.pack(">i", self.port)
        with suppress(OSError, EOFError):
            while True:
                frame = _frame_from(broker).replace(theirs, ours)
                client.sendall(struct.pack(">i", len(frame)) + frame)


def _refusal(correlation: int, version: int, topic: bytes) -> bytes:
    """The answer to a produce request of partition 0, as Kafka's protocol writes it."""
    outcome = struct.pack(">ihqqq", 0, _NOT_LEADER, _NOWHERE, _NOWHERE, _NOWHERE)
    if version < _FLEXIBLE_SINCE:
        no_errors = struct.pack(">ih", 0, _NOWHERE) if version >= 8 else b""
        named = struct.pack(">h", len(topic)) + topic
        body = struct.pack(">i", 1) + named + struct.pack(">i", 1) + outcome + no_errors
        return struct.pack(">i", correlation) + body + struct.pack(">i", 0)
    none, one = b"\x00", b"\x02"  # a list's length is written as one more
    named = bytes((len(topic) + 1,)) + topic
    body = one + named + one + outcome + b"\x01" + none + none + none
    return struct.pack(">i", correlation) + none + body + struct.pack(">i", 0) + none


def _frame_from(peer: socket.socket) -> bytes:
    (size,) = struct.unpack(">i", _exactly(peer, 4))
    return _exactly(peer, size)


def _exactly(peer: socket.socket, size: int) -> bytes:
    found = b""
    while len(found) < size:
        piece = peer.recv(size - len(found))
        if not piece:
            raise EOFError
        found += piece
    return found
