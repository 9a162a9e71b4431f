from contextlib import closing

import pytest

from ingest import batch_reader
from ingest.batch_reader import MOST_AT_ONCE, BatchReader
from ingest.wire.multicast import (
    DATAGRAM_BYTES,
    LOOPBACK_INTERFACE,
    GroupAddress,
    Receiver,
    open_receiver,
    open_sender,
    send,
)
from tests.ingest.loopback import new_group, send_all


def _receiver(group: GroupAddress, *, wait_s: float = 5.0) -> Receiver:
    return open_receiver(
        group,
        interface=LOOPBACK_INTERFACE,
        buffer_bytes=32_000_000,
        wait_at_most_s=wait_s,
    )


def test_one_call_gives_all_that_waits_in_its_order() -> None:
    group = new_group()
    sent = [b"", *(str(number).encode() * (number % 7) for number in range(100))]
    receiver = _receiver(group)
    with closing(receiver.socket):
        send_all(sent, to=group)
        batch = BatchReader(receiver).read(may_wait=True)
    assert [datagram.data for datagram in batch] == sent
    assert [datagram.captured_at for datagram in batch] == sorted(d.captured_at for d in batch)


def test_more_than_one_call_can_give_is_given_by_the_next() -> None:
    group = new_group()
    sent = [str(number).encode() for number in range(2 * MOST_AT_ONCE + 3)]
    receiver = _receiver(group)
    with closing(receiver.socket):
        send_all(sent, to=group)
        reader = BatchReader(receiver)
        batches = [reader.read(may_wait=False) for _ in range(4)]
    assert [len(batch) for batch in batches] == [MOST_AT_ONCE, MOST_AT_ONCE, 3, 0]
    assert [datagram.data for batch in batches for datagram in batch] == sent


def test_a_slot_holds_the_longest_datagram_and_forgets_it() -> None:
    group = new_group()
    longest = bytes(range(256)) * 256
    receiver = _receiver(group)
    with closing(receiver.socket):
        reader = BatchReader(receiver)
        for sent in (longest[:DATAGRAM_BYTES], b"short"):
            send_all([sent], to=group)
            assert [datagram.data for datagram in reader.read(may_wait=True)] == [sent]


def test_nothing_within_the_waiting_time_is_an_empty_batch() -> None:
    receiver = _receiver(new_group(), wait_s=0.01)
    with closing(receiver.socket):
        reader = BatchReader(receiver)
        assert reader.read(may_wait=True) == []
        assert reader.read(may_wait=False) == []


def test_every_sender_is_named_even_when_there_are_more_than_are_remembered(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(batch_reader, "_KNOWN_SOURCES", 2)
    group = new_group()
    receiver = _receiver(group)
    with closing(receiver.socket):
        reader = BatchReader(receiver)
        for _ in range(5):
            with open_sender(interface=LOOPBACK_INTERFACE) as sender:
                send(sender, b"x", to=group)
                expected = f"{LOOPBACK_INTERFACE}:{sender.getsockname()[1]}"
                assert [d.source for d in reader.read(may_wait=True)] == [expected]


def test_what_does_not_fit_a_slot_is_counted_and_not_given_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(batch_reader, "_SLOT_BYTES", 1_000)
    group = new_group()
    receiver = _receiver(group)
    with closing(receiver.socket):
        send_all([b"a", b"x" * 1_001, b"b" * 1_000], to=group)
        reader = BatchReader(receiver)
        batch = reader.read(may_wait=True)
    assert [datagram.data for datagram in batch] == [b"a", b"b" * 1_000]
    assert reader.oversized == 1


def test_a_socket_that_fails_says_so() -> None:
    receiver = _receiver(new_group())
    reader = BatchReader(receiver)
    receiver.socket.close()
    with pytest.raises(OSError, match="Bad file descriptor"):
        reader.read(may_wait=False)
