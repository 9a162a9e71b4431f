import io
import itertools
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scapy.layers.inet import IP, UDP, defragment
from scapy.layers.inet6 import IPv6, defragment6
from scapy.utils import rdpcap

from ingest.datagram import Datagram
from ingest.files.datagrams import FileDatagrams
from ingest.files.errors import FileReason
from ingest.files.opening import packets_of
from ingest.files.packet import Tally
from ingest.wire.addresses import GroupAddress, parse_subscription
from tests.ingest.capture_files import (
    IPV4_GROUP,
    IPV6_GROUP,
    LINK_TYPES,
    Record,
    enhanced,
    framed,
    interface,
    ip,
    pcap,
    pcapng,
    pieces,
    records,
    section,
    source_of,
    udp,
)

BOTH = (str(IPV4_GROUP), str(IPV6_GROUP))
ELSEWHERE = GroupAddress("239.255.80.2", 5080)
LONG = bytes(range(256)) * 12


def _read(file: bytes, *subscriptions: str) -> tuple[list[Datagram], FileDatagrams, Tally]:
    tally = Tally()
    reader = FileDatagrams([parse_subscription(text) for text in subscriptions or BOTH], tally)
    found = list(reader.datagrams_of(packets_of(io.BytesIO(file), tally)))
    assert tally.records == tally.datagrams + tally.joined + tally.left_out.total()
    return found, reader, tally


def _traffic(link_type: int) -> list[Record]:
    """What a real capture has: both protocols, short and long, whole and in pieces."""
    packets = [
        ip(udp(b"four"), IPV4_GROUP),
        ip(udp(b"six", IPV6_GROUP), IPV6_GROUP),
        ip(udp(b""), IPV4_GROUP),
        *pieces(udp(LONG), IPV4_GROUP, size=1_480, identification=5),
        *reversed(pieces(udp(LONG, IPV6_GROUP), IPV6_GROUP, size=1_448, identification=6)),
        ip(udp(b"last"), IPV4_GROUP),
    ]
    return records(framed(packet, link_type) for packet in packets)


@pytest.mark.parametrize("ticks", [2**63, 2**64 - 1])
def test_a_time_that_no_table_could_hold_costs_its_record_and_no_other(ticks: int) -> None:
    one, two = records([framed(ip(udp(text)), 1) for text in (b"one", b"two")])
    file = section() + interface(1) + enhanced(one, ticks=ticks) + enhanced(two)
    found, _, tally = _read(file)
    assert [datagram.data for datagram in found] == [b"two"]
    assert tally.left_out == {FileReason.BAD_TIME: 1}


@pytest.mark.parametrize(
    ("link_type", "write", "order"),
    list(itertools.product(LINK_TYPES, (pcap, pcapng), "<>")),
)
def test_every_form_of_a_file_gives_the_same_datagrams(
    link_type: int, write: type, order: str
) -> None:
    content = _traffic(link_type)
    found, _, tally = _read(write(content, link_type, order=order))
    assert [datagram.data for datagram in found] == [b"four", b"six", b"", LONG, LONG, b"last"]
    assert [datagram.group_address for datagram in found] == [
        IPV4_GROUP, IPV6_GROUP, IPV4_GROUP, IPV4_GROUP, IPV6_GROUP, IPV4_GROUP,
    ]  # fmt: skip
    assert all(datagram.source == source_of(datagram.group_address) for datagram in found)
    assert found[0].captured_at == content[0].captured_at
    assert found[-1].captured_at == content[-1].captured_at
    assert (tally.joined, tally.left_out) == (4, {})


@pytest.mark.parametrize("link_type", LINK_TYPES)
@pytest.mark.parametrize("write", [pcap, pcapng])
def test_an_independent_reader_finds_the_same_datagrams(
    tmp_path: Path, link_type: int, write: type
) -> None:
    path = tmp_path / "capture"
    path.write_bytes(write(_traffic(link_type), link_type))
    heard = _payloads_by_scapy(path)
    found, _, _ = _read(path.read_bytes())
    assert sorted(heard) == sorted(datagram.data for datagram in found)


def _payloads_by_scapy(path: Path) -> list[bytes]:
    """Read, join and take apart a file with another's tools."""
    packets = list(rdpcap(str(path)))
    four = [packet[IP] for packet in packets if IP in packet]
    six = [packet[IPv6] for packet in packets if IPv6 in packet]
    # Both joiners ship without type information.
    joined = defragment(four)  # type: ignore[no-untyped-call]
    joined_6 = defragment6([packet for packet in six if packet.nh == 44])  # type: ignore[no-untyped-call]
    layers = [IP(bytes(packet))[UDP] for packet in joined]
    layers += [IPv6(bytes(packet))[UDP] for packet in (*six, joined_6) if packet.nh == 17]
    return [bytes(layer.payload) for layer in layers]


def test_only_what_is_subscribed_is_taken_and_the_rest_is_told_by_address() -> None:
    packets = [ip(udp(b"mine")), ip(udp(b"other", ELSEWHERE), ELSEWHERE)]
    found, reader, tally = _read(pcap(records(packets), 101), str(IPV4_GROUP))
    assert [datagram.data for datagram in found] == [b"mine"]
    assert tally.left_out == {FileReason.OTHER_ADDRESS: 1}
    assert reader.elsewhere == {ELSEWHERE: 1}


def test_a_subscription_to_one_sender_takes_that_one_only() -> None:
    file = pcap(records([ip(udp(b"mine"))]), 101)
    assert len(_read(file, f"10.0.0.7@{IPV4_GROUP}")[0]) == 1
    assert len(_read(file, f"10.0.0.8@{IPV4_GROUP}")[0]) == 0
    assert len(_read(file, f"10.0.0.8@{IPV4_GROUP}", f"{IPV4_GROUP}%eth0")[0]) == 1


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        (ip(b"short"), FileReason.BAD_PACKET),
        (ip(udp(b"x")[:4] + b"\x00\x07\x00\x00" + b"x"), FileReason.BAD_PACKET),
        (ip(udp(b"x")[:4] + b"\x00\xff\x00\x00" + b"x"), FileReason.BAD_PACKET),
        (ip(b"x" * 20, protocol=6), FileReason.NOT_UDP),
        (b"\x00" * 40, FileReason.NOT_IP),
    ],
)
def test_what_gives_no_datagram_is_counted_by_reason(record: bytes, reason: FileReason) -> None:
    found, _, tally = _read(pcap(records([record, ip(udp(b"good"))]), 101))
    assert [datagram.data for datagram in found] == [b"good"]
    assert tally.left_out == {reason: 1}


def test_a_packet_of_which_only_the_beginning_was_kept_is_counted_as_that() -> None:
    whole = ip(udp(b"x" * 100))
    cut = Record(whole[:60], 0, len(whole))
    _, _, tally = _read(pcap([cut], 101))
    assert tally.left_out == {FileReason.PACKET_CUT: 1}


@given(st.lists(st.tuples(st.integers(0, 20_000), st.integers(0, 255)), max_size=20))
def test_no_damage_raises_and_every_record_is_accounted_for(hits: list[tuple[int, int]]) -> None:
    damaged = bytearray(pcapng(_traffic(1), 1))
    for at, value in hits:
        damaged[at % len(damaged)] = value
    _read(bytes(damaged))
