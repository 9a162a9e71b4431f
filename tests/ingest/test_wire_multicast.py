import socket
from contextlib import closing

import pytest

from ingest.wire.errors import MulticastError
from ingest.wire.multicast import (
    LOOPBACK_INTERFACE,
    GroupAddress,
    Receiver,
    dropped_by_kernel,
    leave,
    open_receiver,
    open_sender,
    parse_group_address,
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


def test_a_group_address_is_an_address_and_a_port() -> None:
    assert parse_group_address("239.255.80.1:5080") == GroupAddress("239.255.80.1", 5080)
    assert str(GroupAddress("239.255.80.1", 5080)) == "239.255.80.1:5080"


@pytest.mark.parametrize(
    "text",
    ["", "239.1.1.1", "239.1.1.1:", "239.1.1.1:0", "239.1.1.1:65536", "239.1.1.1:x", "10.0.0.1:5",
     "239.1.1.256:5", "host:5", "239.1.1.1:-5", "239.1.1.1:\N{ARABIC-INDIC DIGIT ONE}", ":5"],
)  # fmt: skip
def test_what_is_no_group_address_is_refused_with_what_to_write(text: str) -> None:
    with pytest.raises(MulticastError, match=r"239\.255\.80\.1:5080|1 to 65535"):
        parse_group_address(text)


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
    with closing(_receiver(group, wait_s=0.2).socket) as receiver:
        send_all([b"before"], to=group)
        leave(receiver, group, interface=LOOPBACK_INTERFACE)
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


@pytest.mark.parametrize("interface", [NOT_OF_THIS_MACHINE, "eth0", ""])
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
