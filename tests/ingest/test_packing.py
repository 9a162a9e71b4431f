from hypothesis import given
from hypothesis import strategies as st

from ingest.packing import Packer, Record
from ingest.publish_settings import ONE_PER_RECORD
from ingest.spool.record import Entry
from ingest.wire.bounds import BUNDLE_ENTRIES
from ingest.wire.bundle import cut
from ingest.wire.partition import partition_of_key

KEYS = [b"dev", b"ops", b"floor", b""]
FAR_S = 1e9


def _packer(*, partitions: int = 3, pack_bytes: int = 200, linger_s: float = 0.005) -> Packer:
    return Packer(partitions=partitions, pack_bytes=pack_bytes, linger_s=linger_s)


def _entries(keys: list[bytes], *, size: int = 20) -> list[Entry]:
    return [
        Entry(n, 1_000 + n, key, (b"%d " % n).ljust(size)) for n, key in enumerate(keys, start=1)
    ]


def _pack_all(packer: Packer, entries: list[Entry]) -> list[Record]:
    records = [packer.add(entry, now_s=0.0) for entry in entries]
    return [record for record in records if record is not None] + packer.due(now_s=FAR_S)


@given(st.lists(st.sampled_from(KEYS), max_size=60), st.integers(1, 4), st.integers(1, 500))
def test_every_entry_is_packed_once_in_the_order_of_its_partition(
    keys: list[bytes], partitions: int, pack_bytes: int
) -> None:
    entries = _entries(keys)
    packer = _packer(partitions=partitions, pack_bytes=pack_bytes)
    records = _pack_all(packer, entries)
    for partition in range(partitions):
        packed = [pair for r in records if r.partition == partition for pair in cut(r.value)]
        assert packed == [
            (entry.captured_at, entry.data)
            for entry in entries
            if partition_of_key(entry.key, partitions) == partition
        ]
    assert sum(record.messages for record in records) == len(entries)
    assert packer.maybe_first is None


def test_a_bundle_that_would_grow_too_large_is_sent() -> None:
    records = _pack_all(_packer(partitions=1, pack_bytes=100), _entries([b"dev"] * 7))
    assert [record.messages for record in records] == [3, 3, 1]
    assert [record.first for record in records] == [1, 4, 7]
    assert all(len(record.value) <= 100 + 8 for record in records)


def test_a_message_that_is_larger_than_a_bundle_may_be_goes_alone() -> None:
    records = _pack_all(_packer(pack_bytes=10), _entries([b"dev"] * 3, size=50))
    assert [record.messages for record in records] == [1, 1, 1]


def test_a_bundle_has_no_more_entries_than_a_reader_cuts() -> None:
    packer = _packer(partitions=1, pack_bytes=10**9)
    records = _pack_all(packer, _entries([b"dev"] * (BUNDLE_ENTRIES + 1)))
    assert [record.messages for record in records] == [BUNDLE_ENTRIES, 1]


def test_nobody_waits_longer_than_the_linger() -> None:
    packer = _packer(linger_s=0.5)
    keys = [b"dev", b"sales", b"dev"]
    assert partition_of_key(b"dev", 3) != partition_of_key(b"sales", 3)
    first, second, third = _entries(keys)
    packer.add(first, now_s=10.0)
    packer.add(second, now_s=10.2)
    packer.add(third, now_s=10.4)
    assert packer.maybe_due_at_s == 10.5
    assert packer.due(now_s=10.4) == []
    (sent,) = packer.due(now_s=10.5)
    assert (sent.first, sent.messages) == (1, 2)
    assert (packer.maybe_first, packer.maybe_due_at_s) == (2, 10.7)


def test_without_packing_each_message_is_a_record_with_its_group_as_the_key() -> None:
    entries = _entries([b"dev", b"ops"])
    records = _pack_all(_packer(pack_bytes=ONE_PER_RECORD), entries)
    assert [(r.maybe_key, r.value, r.messages) for r in records] == [
        (entry.key, entry.data, 1) for entry in entries
    ]
