"""From the packets of a file to the UDP datagrams that an agent listens to.

A datagram is taken if one of the subscriptions names its group and port (and its sender, if the
subscription does): the same configuration takes the same messages from a file as from the network.
What else is in the file is counted, by reason and by address.
"""

import ipaddress
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache
from struct import Struct
from typing import Final

from ingest.datagram import Datagram
from ingest.files.errors import FileReason, RecordFaultError
from ingest.files.fragments import Reassembler
from ingest.files.internet import InternetPacket, parse_internet
from ingest.files.link_layers import internet_part
from ingest.files.packet import Packet, Tally
from ingest.wire.addresses import GroupAddress, Subscription, written
from ingest.wire.bounds import SENT_AT_LAST

_UDP: Final = Struct(">HHHH")
MOST_ADDRESSES: Final = 1_000
"""Addresses that are counted one by one; a file with more holds a scan, and the sum says enough."""


class FileDatagrams:
    """Turns packets into datagrams. One for each file."""

    def __init__(self, subscriptions: Iterable[Subscription], tally: Tally) -> None:
        self.elsewhere: Counter[GroupAddress] = Counter()
        """How many datagrams went to groups that nobody here listens to."""
        self._tally = tally
        self._reassembler = Reassembler(tally)
        self._sources_of: dict[GroupAddress, set[str | None]] = {}
        for subscription in subscriptions:
            self._sources_of.setdefault(subscription.group, set()).add(subscription.maybe_source)

    def datagrams_of(self, packets: Iterable[Packet]) -> Iterator[Datagram]:
        """Give the datagrams, in the order in which they were complete; all else is counted."""
        for packet in packets:
            try:
                maybe_datagram = self._datagram_of(packet)
            except RecordFaultError as fault:
                self._tally.left_out[fault.reason] += 1
                continue
            if maybe_datagram is not None:
                self._tally.datagrams += 1
                yield maybe_datagram
        self._reassembler.end()

    def _datagram_of(self, packet: Packet) -> Datagram | None:
        if not 0 <= packet.captured_at <= SENT_AT_LAST:
            raise RecordFaultError(FileReason.BAD_TIME)
        found = parse_internet(internet_part(packet.link_type, packet.data), is_cut=packet.is_cut)
        if found.is_piece:
            maybe_whole = self._reassembler.join(found, now=packet.captured_at)
            if maybe_whole is None:
                return None
            found = maybe_whole
        return self._udp_of(found, captured_at=packet.captured_at)

    def _udp_of(self, packet: InternetPacket, *, captured_at: int) -> Datagram:
        if len(packet.content) < _UDP.size:
            raise RecordFaultError(FileReason.BAD_PACKET)
        source_port, target_port, length, _ = _UDP.unpack_from(packet.content)
        length = length or len(packet.content)
        if not _UDP.size <= length <= len(packet.content):
            raise RecordFaultError(FileReason.BAD_PACKET)
        group = GroupAddress(_text(packet.target), target_port)
        maybe_sources = self._sources_of.get(group)
        source = _text(packet.source)
        if maybe_sources is None or not {None, source} & maybe_sources:
            if group in self.elsewhere or len(self.elsewhere) < MOST_ADDRESSES:
                self.elsewhere[group] += 1
            raise RecordFaultError(FileReason.OTHER_ADDRESS)
        data = packet.content[_UDP.size : length]
        return Datagram(data, captured_at, written(source, source_port), group)


@lru_cache(maxsize=4_096)
def _text(packed: bytes) -> str:
    return str(ipaddress.ip_address(packed))
