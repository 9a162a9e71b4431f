from members.multicast_transport import MulticastTransport
from members.simulated_transport import SimulatedNetwork
from members.transport import Transport
from tests.ingest.loopback import new_group


def test_both_transports_fit_the_seam() -> None:
    transports: list[Transport] = [
        MulticastTransport(new_group()),
        SimulatedNetwork(seed=1).transport(),
    ]
    for transport in transports:
        transport.send(b"nobody hears what is sent before it is open")
        transport.close()
        transport.close()
