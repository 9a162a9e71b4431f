"""Foreign datagrams for the tests of mappings."""

from ingest.datagram import Datagram
from ingest.mapping.mapping import Mapping
from ingest.mapping.settings import MappingSettings
from ingest.wire.addresses import GroupAddress
from ingest.wire.envelope import Envelope, decode

GROUP = GroupAddress("239.1.1.1", 5000)


def foreign(data: bytes, *, source: str = "10.0.0.7:40001") -> Datagram:
    """A datagram as a foreign system sends it."""
    return Datagram(data, 0, source, GROUP)


def mapped(settings: MappingSettings, data: bytes) -> Envelope:
    """What a mapping makes of these bytes, decoded."""
    return decode(Mapping(settings).envelope_of(foreign(data)))
