import ipaddress
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.files.errors import FileReason, RecordFaultError
from ingest.files.internet import parse_internet
from ingest.wire.addresses import GroupAddress
from tests.ingest.capture_files import IPV4_GROUP, IPV6_GROUP, SOURCE, ip

GROUPS = (IPV4_GROUP, IPV6_GROUP)


def _reason(data: bytes, *, is_cut: bool = False) -> FileReason:
    with pytest.raises(RecordFaultError) as caught:
        parse_internet(data, is_cut=is_cut)
    return caught.value.reason


@pytest.mark.parametrize("group", GROUPS)
def test_who_sent_what_to_whom_is_read(group: GroupAddress) -> None:
    packet = parse_internet(ip(b"content", group), is_cut=False)
    assert packet.content == b"content"
    assert packet.source == ipaddress.ip_address(SOURCE[group.is_ipv6]).packed
    assert packet.target == ipaddress.ip_address(group.address).packed
    assert not packet.is_piece


@pytest.mark.parametrize("group", GROUPS)
def test_padding_behind_a_packet_is_cut_off(group: GroupAddress) -> None:
    assert parse_internet(ip(b"content", group) + bytes(9), is_cut=False).content == b"content"


@pytest.mark.parametrize("group", GROUPS)
def test_a_length_that_a_network_card_left_open_is_all_there_is(group: GroupAddress) -> None:
    at = 4 if group.is_ipv6 else 2
    raw = bytearray(ip(b"content", group))
    raw[at : at + 2] = bytes(2)
    assert parse_internet(bytes(raw), is_cut=False).content == b"content"


@pytest.mark.parametrize("group", GROUPS)
def test_a_piece_says_where_it_belongs(group: GroupAddress) -> None:
    raw = ip(b"c" * 16, group, identification=77, offset=1_480, has_more=True)
    packet = parse_internet(raw, is_cut=False)
    assert (packet.identification, packet.offset, packet.has_more) == (77, 1_480, True)
    assert (packet.content, packet.is_piece) == (b"c" * 16, True)


def test_options_of_ipv4_and_extensions_of_ipv6_are_passed_over() -> None:
    plain = ip(b"content")
    with_options = (
        b"\x46" + plain[1:2] + struct.pack(">H", 31) + plain[4:20] + bytes(4) + plain[20:]
    )
    assert parse_internet(with_options, is_cut=False).content == b"content"
    hop_by_hop = b"\x3c\x00" + bytes(6)
    destination = b"\x33\x01" + bytes(14)
    authentication = b"\x11\x04" + bytes(22)
    raw = ip(b"content", IPV6_GROUP, extensions=hop_by_hop + destination + authentication)
    assert parse_internet(raw, is_cut=False).content == b"content"


@pytest.mark.parametrize("group", GROUPS)
def test_what_a_header_promises_and_is_not_there_was_cut_or_is_a_lie(group: GroupAddress) -> None:
    raw = ip(b"content", group)
    for size in range(1, len(raw)):
        assert _reason(raw[:size]) is FileReason.BAD_PACKET
        assert _reason(raw[:size], is_cut=True) is FileReason.PACKET_CUT


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", FileReason.BAD_PACKET),
        (b"\x55" + bytes(40), FileReason.NOT_IP),
        (ip(b"x" * 20, protocol=6), FileReason.NOT_UDP),
        (ip(b"x" * 20, IPV6_GROUP, protocol=58), FileReason.NOT_UDP),
        (b"\x44" + ip(b"x" * 20)[1:], FileReason.BAD_PACKET),
        (ip(b"", IPV6_GROUP, extensions=b"\x11\xff" + bytes(6)), FileReason.BAD_PACKET),
        (ip(b"", IPV6_GROUP, extensions=bytes(8) * 20), FileReason.NOT_UDP),
    ],
)
def test_what_is_no_udp_is_refused_with_its_reason(data: bytes, reason: FileReason) -> None:
    assert _reason(data) is reason


@given(st.sampled_from([0x40, 0x45, 0x60]), st.binary(max_size=120), st.booleans())
def test_no_bytes_raise_anything_else(first: int, rest: bytes, is_cut: bool) -> None:
    try:
        parse_internet(bytes([first]) + rest, is_cut=is_cut)
    except RecordFaultError:
        return
