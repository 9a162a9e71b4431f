"""Real multicast on the loopback interface, for tests: addresses of one's own, and patience."""

import itertools
import os
import socket
import time
from collections.abc import Callable, Iterable

from ingest.wire.multicast import LOOPBACK_INTERFACE, GroupAddress, open_sender, send

_PATIENCE_S = 60.0
_LOOK_EVERY_S = 0.01
_numbers = itertools.count(1)


def new_group() -> GroupAddress:
    """Give an address that no other test of this run and hardly one of another run uses."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.bind((LOOPBACK_INTERFACE, 0))
        port = probe.getsockname()[1]
    return GroupAddress(f"239.255.{os.getpid() % 256}.{next(_numbers) % 254 + 1}", port)


def send_all(datagrams: Iterable[bytes], *, to: GroupAddress) -> int:
    """Multicast these on loopback and give how many there were."""
    sent = 0
    with open_sender(interface=LOOPBACK_INTERFACE) as sender:
        for datagram in datagrams:
            send(sender, datagram, to=to)
            sent += 1
    return sent


def wait_until(is_so: Callable[[], bool]) -> None:
    """Wait until something is so; the limit only keeps a broken test from waiting for ever."""
    deadline_s = time.monotonic() + _PATIENCE_S
    while not is_so():
        assert time.monotonic() < deadline_s, f"not so within {_PATIENCE_S:g} s"
        time.sleep(_LOOK_EVERY_S)
