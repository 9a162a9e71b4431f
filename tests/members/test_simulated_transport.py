import asyncio

from members.simulated_transport import SimulatedNetwork, SimulatedTransport


async def hear(network: SimulatedNetwork, count: int) -> list[int]:
    heard: list[bytes] = []
    transports: list[SimulatedTransport] = [network.transport() for _ in range(3)]
    for transport in transports:
        transport.open(heard.append)
    for _ in range(count):
        transports[0].send(b"x")
    transports[2].close()
    await asyncio.sleep(0.01)
    after_one_left = len(heard)
    transports[0].send(b"y")
    await asyncio.sleep(0.01)
    return [after_one_left, len(heard)]


def test_everybody_else_hears_what_is_sent_until_it_is_closed() -> None:
    assert asyncio.run(hear(SimulatedNetwork(seed=1), 5)) == [5, 6]


def test_a_share_is_lost_by_the_seed() -> None:
    once = asyncio.run(hear(SimulatedNetwork(seed=1, loss=0.5), 400))
    assert once == asyncio.run(hear(SimulatedNetwork(seed=1, loss=0.5), 400))
    assert 150 < once[0] < 250
