import socket
from contextlib import closing
from pathlib import Path

import pytest

from ingest.wire import multicast
from ingest.wire.errors import MulticastError
from ingest.wire.multicast import (
    LOOPBACK_INTERFACE,
    GroupAddress,
    Receiver,
    dropped_by_kernel,
    leave,
    open_receiver,
    open_sender,
    send,
)
from tests.ingest.loopback import new_group, send_all

NOT_OF_THIS_MACHINE = "192.0.2.1"
SMALLEST_BUFFER_BYTES = 4_096


def _receiver(
    group: GroupAddress, *, buffer_bytes: int = 1_000_000, wait_s: float = 5.0
) -> Receiver:
    return open_receiver(
        group, interface=LOOPBACK_INTERFACE, buffer_bytes=buffer_bytes, wait_at_most_s=wait_s
    )


def test_what_is_sent_to_a_group_is_heard_by_everyone_who_joined() -> None:
    group = new_group()
    with closing(_receiver(group).socket) as one, closing(_receiver(group).socket) as other:
        send_all([b"hello"], to=group)
        assert one.recv(100) == b"hello"
        assert other.recv(100) == b"hello"


def test_a_receiver_hears_its_own_group_only() -> None:
    mine, same_port = new_group(), new_group()
    same_port = GroupAddress(same_port.address, mine.port)
    with closing(_receiver(mine).socket) as one, closing(_receiver(same_port).socket):
        send_all([b"not for you"], to=same_port)
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as plain:
            plain.sendto(b"unicast", (LOOPBACK_INTERFACE, mine.port))
        send_all([b"for you"], to=mine)
        assert one.recv(100) == b"for you"


def test_after_leaving_what_has_arrived_can_still_be_read_and_nothing_more_comes() -> None:
    group = new_group()
    joined = _receiver(group, wait_s=0.2)
    with closing(joined.socket) as receiver:
        send_all([b"before"], to=group)
        leave(joined)
        send_all([b"after"], to=group)
        assert receiver.recv(100) == b"before"
        with pytest.raises(BlockingIOError):
            receiver.recv(100)


def test_the_buffer_asked_for_and_the_buffer_got_are_both_told() -> None:
    receiver = _receiver(new_group(), buffer_bytes=2**30)
    with closing(receiver.socket):
        assert receiver.buffer_asked_bytes == 2**30
        assert 0 < receiver.buffer_got_bytes <= 2**30


def test_the_kernel_counts_what_it_drops() -> None:
    group = new_group()
    with closing(_receiver(group, buffer_bytes=SMALLEST_BUFFER_BYTES).socket) as receiver:
        assert dropped_by_kernel(receiver) == 0
        sent = send_all([b"x" * 500] * 200, to=group)
        heard = 0
        receiver.setblocking(False)
        try:
            while receiver.recv(1_000):
                heard += 1
        except BlockingIOError:
            pass
        assert 0 < heard < sent
        assert dropped_by_kernel(receiver) == sent - heard


@pytest.mark.parametrize("interface", [NOT_OF_THIS_MACHINE, "no-such", ""])
def test_an_interface_that_is_not_there_is_one_sentence(interface: str) -> None:
    with pytest.raises(MulticastError, match="interface"):
        open_sender(interface=interface)
    with pytest.raises(MulticastError, match="interface"):
        open_receiver(new_group(), interface=interface, buffer_bytes=10_000, wait_at_most_s=1.0)


def test_a_datagram_that_is_too_long_is_one_sentence_with_both_numbers() -> None:
    with (
        open_sender(interface=LOOPBACK_INTERFACE) as sender,
        pytest.raises(MulticastError, match=r"70000 bytes .* 65507"),
    ):
        send(sender, b"x" * 70_000, to=new_group())


def test_a_join_from_one_sender_hears_that_one_and_nobody_else() -> None:
    group = new_group()
    mine, other = (
        open_receiver(
            group,
            interface=LOOPBACK_INTERFACE,
            buffer_bytes=1_000_000,
            wait_at_most_s=0.2,
            maybe_source=source,
        )
        for source in (LOOPBACK_INTERFACE, NOT_OF_THIS_MACHINE)
    )
    with closing(mine.socket), closing(other.socket):
        send_all([b"hello"], to=group)
        assert mine.socket.recv(100) == b"hello"
        with pytest.raises(BlockingIOError):
            other.socket.recv(100)
        leave(mine)
        send_all([b"after"], to=group)
        with pytest.raises(BlockingIOError):
            mine.socket.recv(100)


def test_a_sender_says_how_many_routers_far_it_reaches() -> None:
    with open_sender(interface="lo", hops=7) as sender:
        assert sender.getsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_TTL) == 7
    with open_sender(interface="lo", hops=7, is_ipv6=True) as sender:
        assert sender.getsockopt(socket.IPPROTO_IPV6, socket.IPV6_MULTICAST_HOPS) == 7
    with pytest.raises(MulticastError, match="0 to 255 hops"):
        open_sender(interface="lo", hops=256)


def test_an_interface_may_be_named_for_both_directions() -> None:
    group = new_group()
    receiver = open_receiver(group, interface="lo", buffer_bytes=100_000, wait_at_most_s=5.0)
    with closing(receiver.socket), open_sender(interface="lo") as sender:
        send(sender, b"hello", to=group)
        data, address = receiver.socket.recvfrom(100)
        assert (data, address[0]) == (b"hello", LOOPBACK_INTERFACE)


def test_a_process_without_the_capability_gets_what_everyone_may_have(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    allowed = int(Path("/proc/sys/net/core/rmem_max").read_text(encoding="ascii"))
    # The kernel refuses to set this one whoever asks, as it refuses the right one to most.
    monkeypatch.setattr(multicast, "_SO_RCVBUFFORCE", socket.SO_ERROR)
    receiver = _receiver(new_group(), buffer_bytes=2**30)
    with closing(receiver.socket):
        assert receiver.buffer_got_bytes == min(allowed, 2**30)
