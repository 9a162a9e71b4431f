from ingest.datagram import Datagram
from ingest.wire.multicast import GroupAddress


def test_a_datagram_can_be_taken_apart_in_its_stated_order() -> None:
    group = GroupAddress("239.255.80.1", 5080)
    data, captured_at, source, group_address = Datagram(b"x", 7, "10.0.0.7:40001", group)
    assert (data, captured_at, source, group_address) == (b"x", 7, "10.0.0.7:40001", group)
