import ipaddress
import socket

import pytest

from ingest.wire.errors import MulticastError
from ingest.wire.interfaces import interface_index, ipv4_address


def test_an_interface_is_found_by_its_name_and_by_its_address() -> None:
    index = socket.if_nametoindex("lo")
    assert interface_index("lo") == interface_index("127.0.0.1") == index


def test_an_interface_is_found_by_its_ipv6_address_where_the_machine_has_ipv6() -> None:
    try:
        with socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) as probe:
            probe.bind(("::1", 0))
    except OSError:
        pytest.skip("this machine has no IPv6")
    assert interface_index("::1") == socket.if_nametoindex("lo")


@pytest.mark.parametrize(
    "interface", ["192.0.2.77", "2001:db8::77", "no-such", "", "a\0b", "x" * 99]
)
def test_an_interface_that_is_not_there_is_one_sentence_with_those_that_are(interface: str) -> None:
    with pytest.raises(MulticastError, match=r"no interface .*lo.* or the address of one"):
        interface_index(interface)


def test_the_address_to_send_from_is_the_one_that_was_written_or_the_interfaces_own() -> None:
    loopback = ipaddress.IPv4Address("127.0.0.1")
    assert ipv4_address("lo") == loopback
    assert ipv4_address("127.0.0.1") == loopback


def test_a_sandbox_that_hides_the_interfaces_changes_only_the_sentence(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def forbidden() -> list[tuple[int, str]]:
        raise PermissionError("Address family not supported")

    monkeypatch.setattr(socket, "if_nameindex", forbidden)
    with pytest.raises(MulticastError, match="see ip link"):
        interface_index("no-such")
