"""Capture files: pcap and pcapng, every link type, fragments; from bytes to datagrams."""

from __future__ import annotations

from io import BytesIO
from struct import Struct

from ingest.files.datagrams import FileDatagrams
from ingest.files.opening import packets_of
from ingest.files.packet import Tally
from ingest.wire.addresses import Subscription
from ingest.wire.bounds import REFUSED_BYTES, SENT_AT_LAST
from tests.fuzz.mutator import Field
from tests.fuzz.target import Target
from tests.fuzz.targets.examples import envelopes
from tests.fuzz.targets.outcomes import ACCEPTED, refused
from tests.ingest import capture_files as written

GROUPS = (written.IPV4_GROUP, written.IPV6_GROUP)
SUBSCRIPTIONS = tuple(Subscription(group) for group in GROUPS)
NUMBER = Struct("<I")


def run_file(data: bytes) -> str:
    """Every record has one fate, and every datagram can go on to the spool and to Kafka."""
    tally = Tally()
    found = FileDatagrams(SUBSCRIPTIONS, tally)
    count = 0
    for datagram in found.datagrams_of(packets_of(BytesIO(data), tally)):
        count += 1
        assert len(datagram.data) <= REFUSED_BYTES
        assert 0 <= datagram.captured_at <= SENT_AT_LAST
    assert count == tally.datagrams
    assert tally.records == tally.datagrams + tally.joined + tally.left_out.total()
    reasons = ", ".join(sorted(tally.left_out))
    return f"{ACCEPTED} {min(3, count)} {reasons}" if count else refused(reasons or "nothing")


def _packets() -> list[bytes]:
    payload = envelopes()[0]
    packets = [written.ip(written.udp(payload, group), group) for group in GROUPS]
    for number, group in enumerate(GROUPS):
        content = written.udp(payload * 3, group)
        packets += written.pieces(content, group, size=64, identification=number)
    return packets


def _records(link_type: int, vlans: tuple[int, ...] = ()) -> list[written.Record]:
    return written.records(
        [written.framed(packet, link_type, vlans=vlans) for packet in _packets()[:6]]
    )


PCAP = tuple(
    written.pcap(_records(link_type), link_type, order=order, is_nano=order == ">")
    for link_type in written.LINK_TYPES
    for order in ("<", ">")
)
PCAPNG = (
    *(written.pcapng(_records(link_type), link_type) for link_type in written.LINK_TYPES),
    written.pcapng(_records(1, (0x8100, 0x88A8)), 1, order=">"),
    b"".join(
        (
            written.section(),
            written.interface(1, options=written.option(9, b"\x06") + written.option(14, bytes(8))),
            written.enhanced(_records(1)[0]),
            written.block(3, NUMBER.pack(60) + _records(1)[0].data),
            written.block(5, bytes(12) + written.option(7, bytes(8))),
            written.block(77, b"read over"),
            written.section(order=">"),
            written.interface(101, order=">"),
            written.enhanced(_records(101)[0], order=">"),
        )
    ),
)
PIECES = (
    *(written.framed(packet, 1) for packet in _packets()),
    written.interface(1, options=written.option(9, b"\xff") + written.option(14, b"\xff" * 8)),
    written.section(), written.section(order=">"), b"\xff\xff\xff\xff", b"\x81\x00", b"\x08\x00",
    written.enhanced(_records(1)[0], ticks=2**64 - 1),
)  # fmt: skip

TARGETS = (
    Target(
        "pcap", run_file, PCAP, tokens=PIECES,
        fields=(
            Field(20, 4, "little"), Field(24, 4, "little"), Field(28, 4, "little"),
            Field(32, 4, "little"), Field(36, 4, "little"), Field(52, 2), Field(56, 2),
            Field(58, 2), Field(60, 2), Field(78, 2),
        ),
    ),
    Target(
        "pcapng", run_file, PCAPNG, tokens=PIECES,
        fields=(
            Field(4, 4, "little"), Field(24, 4, "little"), Field(28, 4, "little"),
            Field(32, 4, "little"), Field(36, 2, "little"), Field(48, 4, "little"),
            Field(52, 4, "little"), Field(56, 4, "little"), Field(60, 4, "little"),
            Field(64, 4, "little"), Field(68, 4, "little"), Field(72, 4, "little"),
        ),
    ),
)  # fmt: skip
