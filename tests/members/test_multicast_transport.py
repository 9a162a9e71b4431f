import asyncio

import pytest

from ingest.wire.errors import MulticastError
from ingest.wire.multicast import DATAGRAM_BYTES, GroupAddress
from members.multicast_transport import MulticastTransport
from tests.ingest.loopback import new_group
from tests.members.patience import until


async def exchange(count: int) -> tuple[list[bytes], int]:
    group = new_group()
    heard: list[bytes] = []
    one, other = MulticastTransport(group), MulticastTransport(group)
    one.open(lambda _: None)
    other.open(heard.append)
    try:
        for number in range(count):
            one.send(b"%d" % number)
        await until(lambda: len(heard) + other.dropped() >= count)
        return heard, other.dropped()
    finally:
        one.close()
        other.close()
        assert other.dropped() == 0


def test_members_hear_each_other_over_the_loopback() -> None:
    heard, dropped = asyncio.run(exchange(300))
    assert len(heard) == 300 - dropped


def test_what_is_sent_to_one_address_may_be_heard_on_another_by_way_of_a_relay() -> None:
    async def listen() -> int:
        speaks, listens = new_group(), new_group()
        heard: list[bytes] = []
        relayed = MulticastTransport(listens)
        member = MulticastTransport(speaks, listens_to=listens)
        member.open(heard.append)
        relayed.open(lambda _: None)
        try:
            relayed.send(b"by the relay")
            await until(lambda: bool(heard))
            member.send(b"to the relay")
            return len(heard)
        finally:
            member.close()
            relayed.close()

    assert asyncio.run(listen()) == 1


def test_what_the_machine_cannot_send_or_join_is_the_operators_error() -> None:
    async def send() -> None:
        transport = MulticastTransport(new_group())
        transport.open(lambda _: None)
        try:
            transport.send(bytes(DATAGRAM_BYTES + 1))
        finally:
            transport.close()

    async def join() -> None:
        MulticastTransport(GroupAddress("239.255.1.1", 5080), interface="198.51.100.7").open(print)

    with pytest.raises(MulticastError):
        asyncio.run(send())
    with pytest.raises(MulticastError):
        asyncio.run(join())
