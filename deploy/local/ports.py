"""Find ports that nobody listens on, below the range from which the system takes its own.

Called by the local broker and by the demo for its page and its group.

The usual way, to bind port 0 and take what comes, yields a port from the system's own range. While
a broker on such a port is away for a restart, any outgoing connection of any process may be given
that very number, and a client that keeps knocking on it may even be connected to itself. A port
from below that range stays free until the broker is back.
"""

import random
import socket
from contextlib import ExitStack

from deploy.errors import PortBusyError

LOOPBACK = "127.0.0.1"
# Linux takes its own from 32768 on, the BSDs and macOS from 49152 on.
_LOWEST = 20_000
_HIGHEST = 32_000
# With ever so few free ports left, this many tries find two; only a machine with none left fails.
_TRIES = 1_000


def free_ports(count: int) -> list[int]:
    """Return `count` different ports that were free a moment ago.

    Somebody else may take one before it is used, so the caller must be ready to ask again.
    """
    with ExitStack() as held:
        ports: list[int] = []
        for _ in range(_TRIES):
            if len(ports) == count:
                return ports
            port = random.randrange(_LOWEST, _HIGHEST)
            try:
                held.enter_context(_bound(port))
            except OSError:
                continue
            ports.append(port)
    raise PortBusyError(
        f"Of the ports {_LOWEST} to {_HIGHEST} fewer than {count} are free; "
        "end what listens on them."
    )


def is_free(port: int) -> bool:
    """Say whether a process could listen on the port of the loopback interface now."""
    try:
        with _bound(port):
            return True
    except OSError:
        return False


def require_free(port: int) -> None:
    """Raise `PortBusyError`, which names the port, if somebody listens on it."""
    if not is_free(port):
        raise PortBusyError(
            f"Port {port} is taken by another process; end that one, or choose another port."
        )


def _bound(port: int) -> socket.socket:
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        # As servers do: what lingers of closed connections does not count as taken.
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((LOOPBACK, port))
        # Two sockets may be bound to one port with that option; only one may listen.
        listener.listen(1)
    except OSError:
        listener.close()
        raise
    return listener
