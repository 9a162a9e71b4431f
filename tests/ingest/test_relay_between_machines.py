"""Laws of the relay that need more than one network: from one cable to another, both protocols."""

import threading
from collections.abc import Iterator

import pytest

from ingest.capture import Capture
from ingest.datagram import Datagram
from ingest.faults import Faults
from ingest.relay import Relay
from ingest.wire.addresses import GroupAddress, Subscription
from ingest.wire.multicast import open_sender, send
from tests.ingest.loopback import wait_until
from tests.ingest.namespaces import Machines, two_machines

PATIENCE_S = 30.0


@pytest.fixture(scope="module")
def machines() -> Iterator[Machines]:
    with two_machines() as maybe_machines:
        if maybe_machines is None:
            pytest.skip("no network namespaces here; test_relay holds what loopback can show")
        yield maybe_machines


@pytest.mark.parametrize("address", ["239.255.80.9", "ff15::9"])
def test_a_relay_carries_a_group_from_one_network_to_the_same_group_of_another(
    machines: Machines, address: str
) -> None:
    near, far = machines
    group = GroupAddress(address, 5_900)
    taken: list[Datagram] = []
    is_stopping = threading.Event()
    with near.inside():
        relay = Relay(
            Faults(seed=1, duplication=1.0),
            source=group,
            target=group,
            interface=near.interfaces[0],
            maybe_target_interface=near.interfaces[1],
        )
        relaying = threading.Thread(target=relay.run, kwargs={"is_stopping": is_stopping})
        relaying.start()
    with far.inside():
        capture = Capture(
            Subscription(group),
            interface=far.interfaces[1],
            buffer_bytes=1_000_000,
            take=taken.extend,
        )
        capture.start()
        with open_sender(interface=far.interfaces[0], is_ipv6=group.is_ipv6) as sender:
            send(sender, b"hello", to=group)
    wait_until(lambda: len(taken) == 2)
    is_stopping.set()
    relaying.join(PATIENCE_S)
    capture.ask_to_stop()
    assert capture.has_ended(within_s=PATIENCE_S)
    assert [datagram.data for datagram in taken] == [b"hello", b"hello"]
    from_relay = near.ipv6[1] if group.is_ipv6 else near.ipv4[1]
    assert all(from_relay in datagram.source for datagram in taken)
