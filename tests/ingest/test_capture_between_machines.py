"""Laws of capture that need more than one interface: two machines, two cables, both protocols."""

import itertools
import subprocess
from collections.abc import Iterator

import pytest

from ingest.capture import Capture
from ingest.datagram import Datagram
from ingest.wire.addresses import GroupAddress, parse_subscription
from ingest.wire.multicast import open_sender, send
from tests.ingest.loopback import wait_until
from tests.ingest.namespaces import Machine, Machines, two_machines

BUFFER_BYTES = 1_000_000
PATIENCE_S = 30.0
_ports = itertools.count(5_000)


@pytest.fixture(scope="module")
def machines() -> Iterator[Machines]:
    with two_machines() as maybe_machines:
        if maybe_machines is None:
            pytest.skip("no network namespaces here; test_capture holds what loopback can show")
        yield maybe_machines


class Heard:
    """A capture on a machine, and what it gave."""

    def __init__(self, machine: Machine, subscription: str, *, interface: str) -> None:
        self.taken: list[Datagram] = []
        with machine.inside():
            self.capture = Capture(
                parse_subscription(subscription),
                interface=interface,
                buffer_bytes=BUFFER_BYTES,
                take=self.taken.extend,
            )
            self.capture.start()

    def until(self, count: int) -> list[bytes]:
        """Wait for so many, stop, and give all that came."""
        wait_until(lambda: len(self.taken) >= count)
        self.capture.ask_to_stop()
        assert self.capture.has_ended(within_s=PATIENCE_S)
        assert self.capture.maybe_failure is None
        return [datagram.data for datagram in self.taken]


def _send(machine: Machine, data: bytes, *, to: GroupAddress, interface: str) -> None:
    with machine.inside(), open_sender(interface=interface, is_ipv6=to.is_ipv6) as sender:
        send(sender, data, to=to)


@pytest.mark.parametrize("address", ["239.255.80.9", "ff15::9"])
def test_one_group_on_two_interfaces_is_two_streams(machines: Machines, address: str) -> None:
    near, far = machines
    group = GroupAddress(address, next(_ports))
    heard = [Heard(near, f"{group}%{interface}", interface="lo") for interface in near.interfaces]
    for cable, interface in enumerate(far.interfaces):
        _send(far, f"cable {cable}".encode(), to=group, interface=interface)
    assert [one.until(1) for one in heard] == [[b"cable 0"], [b"cable 1"]]


@pytest.mark.parametrize("address", ["239.255.80.9", "ff15::9"])
def test_the_sender_of_another_machine_is_named(machines: Machines, address: str) -> None:
    near, far = machines
    group = GroupAddress(address, next(_ports))
    heard = Heard(near, str(group), interface=near.interfaces[0])
    _send(far, b"hello", to=group, interface=far.interfaces[0])
    assert heard.until(1) == [b"hello"]
    expected = f"[{far.ipv6[0]}]:" if group.is_ipv6 else f"{far.ipv4[0]}:"
    assert heard.taken[0].source.startswith(expected)
    assert heard.taken[0].group_address == group


@pytest.mark.parametrize("address", ["232.1.1.9", "ff35::9"])
def test_a_join_from_one_sender_hears_that_one_and_nobody_else(
    machines: Machines, address: str
) -> None:
    near, far = machines
    group = GroupAddress(address, next(_ports))
    known, stranger = (far.ipv6[0], near.ipv6[0]) if group.is_ipv6 else (far.ipv4[0], near.ipv4[0])
    interface = near.interfaces[0]
    heard = Heard(near, f"{known}@{group}%{interface}", interface="lo")
    everyone = Heard(near, f"{group}%{interface}", interface="lo")
    assert known != stranger
    _send(near, b"from the stranger", to=group, interface=interface)
    _send(far, b"from the known", to=group, interface=far.interfaces[0])
    assert everyone.until(2) == [b"from the stranger", b"from the known"]
    assert heard.until(1) == [b"from the known"]


@pytest.mark.parametrize("which", ["name", "ipv4", "ipv6"])
def test_an_interface_is_named_by_its_name_or_any_address(machines: Machines, which: str) -> None:
    near, far = machines
    interface = {"name": near.interfaces[1], "ipv4": near.ipv4[1], "ipv6": near.ipv6[1]}[which]
    for address in ("239.255.80.9", "ff15::9"):
        group = GroupAddress(address, next(_ports))
        heard = Heard(near, str(group), interface=interface)
        _send(far, b"hello", to=group, interface=far.interfaces[1])
        assert heard.until(1) == [b"hello"]


def test_groups_that_share_a_port_are_kept_apart(machines: Machines) -> None:
    near, far = machines
    port = next(_ports)
    groups = [GroupAddress(f"239.255.80.{number}", port) for number in range(1, 21)]
    groups += [GroupAddress(f"ff15::{number}", port) for number in range(1, 21)]
    heard = [Heard(near, str(group), interface=near.interfaces[0]) for group in groups]
    for group in groups:
        _send(far, str(group).encode(), to=group, interface=far.interfaces[0])
    assert [one.until(1) for one in heard] == [[str(group).encode()] for group in groups]


def test_an_interface_that_goes_away_ends_a_capture_well(machines: Machines) -> None:
    near, far = machines
    group = GroupAddress("239.255.80.9", next(_ports))
    heard = Heard(near, str(group), interface=near.interfaces[1])
    _send(far, b"hello", to=group, interface=far.interfaces[1])
    wait_until(lambda: bool(heard.taken))
    with near.inside():
        subprocess.run(["ip", "link", "delete", near.interfaces[1]], check=True)
    assert heard.until(1) == [b"hello"]
