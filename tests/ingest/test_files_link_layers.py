import pytest

from ingest.files.errors import FileReason, RecordFaultError
from ingest.files.link_layers import (
    ETHERNET,
    LINUX_COOKED,
    LINUX_COOKED_2,
    LOOP,
    NULL,
    RAW_IPV4,
    RAW_IPV6,
    internet_part,
)
from ingest.wire.addresses import GroupAddress
from tests.ingest.capture_files import IPV4_GROUP, IPV6_GROUP, LINK_TYPES, framed, ip

GROUPS = (IPV4_GROUP, IPV6_GROUP)
TAGGED = (ETHERNET, LINUX_COOKED, LINUX_COOKED_2)


@pytest.mark.parametrize("group", GROUPS)
@pytest.mark.parametrize("link_type", [*LINK_TYPES, 12, 14, RAW_IPV4, RAW_IPV6])
def test_the_internet_packet_is_found_behind_every_link_layer(
    link_type: int, group: GroupAddress
) -> None:
    packet = ip(b"content", group)
    assert internet_part(link_type, framed(packet, link_type)) == packet


@pytest.mark.parametrize("link_type", TAGGED)
@pytest.mark.parametrize("vlans", [[0x8100], [0x88A8, 0x8100], [0x9100, 0x8100], [0x8100] * 4])
def test_tags_of_virtual_networks_are_passed_over(link_type: int, vlans: list[int]) -> None:
    packet = ip(b"content")
    assert internet_part(link_type, framed(packet, link_type, vlans=vlans)) == packet


def test_more_tags_than_anybody_uses_are_no_packet() -> None:
    with pytest.raises(RecordFaultError) as caught:
        internet_part(ETHERNET, framed(ip(b""), ETHERNET, vlans=[0x8100] * 5))
    assert caught.value.reason is FileReason.NOT_IP


@pytest.mark.parametrize("family", [2, 10, 24, 28, 30])
def test_loopback_is_read_in_the_order_of_whoever_wrote_it(family: int) -> None:
    for order in ("little", "big"):
        for link_type in (NULL, LOOP):
            assert internet_part(link_type, family.to_bytes(4, order) + b"E") == b"E"


@pytest.mark.parametrize(
    ("link_type", "data", "reason"),
    [
        (147, b"x" * 40, FileReason.UNKNOWN_LINK_TYPE),
        (ETHERNET, bytes(12) + b"\x08\x06" + bytes(28), FileReason.NOT_IP),
        (ETHERNET, bytes(13), FileReason.BAD_PACKET),
        (ETHERNET, bytes(12) + b"\x81\x00\x00", FileReason.BAD_PACKET),
        (LINUX_COOKED, bytes(15), FileReason.BAD_PACKET),
        (LINUX_COOKED_2, b"\x08", FileReason.BAD_PACKET),
        (NULL, b"\x02\x00\x00", FileReason.BAD_PACKET),
        (LOOP, b"\x00\x00\x00\x07", FileReason.NOT_IP),
    ],
)
def test_what_is_no_internet_packet_is_refused_with_its_reason(
    link_type: int, data: bytes, reason: FileReason
) -> None:
    with pytest.raises(RecordFaultError) as caught:
        internet_part(link_type, data)
    assert caught.value.reason is reason
