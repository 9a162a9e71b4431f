"""Laws of ports: free ones are free and differ, a busy one is named."""

import socket
from collections.abc import Iterator

import pytest

from deploy.errors import PortBusyError
from deploy.local import ports


@pytest.fixture
def taken() -> Iterator[int]:
    """A port that is listened on while the test runs."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield listener.getsockname()[1]


def test_free_ports_differ_and_can_be_listened_on() -> None:
    found = ports.free_ports(5)
    assert len(set(found)) == 5
    for port in found:
        socket.create_server(("127.0.0.1", port)).close()


def test_free_ports_lie_below_the_ones_that_the_system_gives_to_connections() -> None:
    assert all(20_000 <= port < 32_768 for port in ports.free_ports(5))


def test_a_taken_port_is_not_free(taken: int) -> None:
    assert not ports.is_free(taken)


def test_a_taken_port_is_named_in_the_error(taken: int) -> None:
    with pytest.raises(PortBusyError, match=f"Port {taken} is taken"):
        ports.require_free(taken)


def test_a_taken_port_is_never_chosen(taken: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ports, "_LOWEST", taken)
    monkeypatch.setattr(ports, "_HIGHEST", taken + 1)
    with pytest.raises(PortBusyError, match="fewer than 1 are free"):
        ports.free_ports(1)


def test_a_port_with_closed_connections_that_linger_counts_as_free() -> None:
    listener = socket.create_server(("127.0.0.1", 0))
    port = listener.getsockname()[1]
    client = socket.create_connection(("127.0.0.1", port))
    served, _ = listener.accept()
    served.close()  # the side that closes first lingers
    client.close()
    listener.close()
    assert ports.is_free(port)
