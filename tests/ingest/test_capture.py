import threading
import time
from collections.abc import Sequence

from ingest.capture import Capture
from ingest.datagram import Datagram, Take
from ingest.wire.multicast import (
    DATAGRAM_BYTES,
    LOOPBACK_INTERFACE,
    GroupAddress,
    Subscription,
    open_sender,
    send,
)
from tests.ingest.loopback import new_group, send_all, wait_until

PATIENCE_S = 30.0
SMALLEST_BUFFER_BYTES = 4_096


def _capture(group: GroupAddress, take: Take, *, buffer_bytes: int = 4_000_000) -> Capture:
    return Capture(
        Subscription(group), interface=LOOPBACK_INTERFACE, buffer_bytes=buffer_bytes, take=take
    )


def _stop(capture: Capture) -> None:
    capture.ask_to_stop()
    assert capture.has_ended(within_s=PATIENCE_S)


def test_every_datagram_is_handed_on_byte_for_byte_and_in_order() -> None:
    group = new_group()
    taken: list[Datagram] = []
    capture = _capture(group, taken.extend)
    capture.start()
    sent = [b"", b"\x00", *(str(number).encode() * 50 for number in range(300))]
    send_all(sent, to=group)
    wait_until(lambda: len(taken) == len(sent))
    _stop(capture)
    assert [datagram.data for datagram in taken] == sent
    assert capture.received == len(sent)
    assert capture.kernel_drops == 0


def test_a_datagram_says_when_it_arrived_who_sent_it_and_where_to() -> None:
    group = new_group()
    taken: list[Datagram] = []
    capture = _capture(group, taken.extend)
    with open_sender(interface=LOOPBACK_INTERFACE) as sender:
        before = time.time_ns() // 1_000
        send(sender, b"x", to=group)
        after = time.time_ns() // 1_000
        port = sender.getsockname()[1]
    capture.start()
    _stop(capture)
    assert [datagram.group_address for datagram in taken] == [group]
    assert taken[0].source == f"{LOOPBACK_INTERFACE}:{port}"
    assert before <= taken[0].captured_at <= after, "the kernel's time, not the reader's"


def test_the_longest_datagram_is_handed_on_whole() -> None:
    group = new_group()
    taken: list[Datagram] = []
    capture = _capture(group, taken.extend)
    capture.start()
    longest = b"x" * DATAGRAM_BYTES
    send_all([longest], to=group)
    wait_until(lambda: bool(taken))
    _stop(capture)
    assert [datagram.data for datagram in taken] == [longest]
    assert capture.oversized == 0


def test_what_arrived_before_the_stop_is_handed_on_before_the_end() -> None:
    group = new_group()
    taken: list[Datagram] = []
    capture = _capture(group, taken.extend)
    sent = send_all([b"x"] * 500, to=group)
    capture.start()
    _stop(capture)
    assert len(taken) == sent


def test_received_and_dropped_add_up_to_what_was_sent() -> None:
    group = new_group()
    capture = _capture(group, lambda _: None, buffer_bytes=SMALLEST_BUFFER_BYTES)
    sent = send_all([b"x" * 1_000] * 2_000, to=group)
    capture.start()
    _stop(capture)
    assert capture.kernel_drops > 0
    assert capture.received + capture.kernel_drops == sent


def test_drops_after_the_last_datagram_that_was_read_are_counted_too() -> None:
    group = new_group()
    is_full, may_go_on = threading.Event(), threading.Event()

    def take(_: Sequence[Datagram]) -> None:
        is_full.set()
        may_go_on.wait(PATIENCE_S)

    capture = _capture(group, take, buffer_bytes=SMALLEST_BUFFER_BYTES)
    capture.start()
    sent = send_all([b"first"], to=group)
    assert is_full.wait(PATIENCE_S)
    sent += send_all([b"x" * 1_000] * 100, to=group)
    may_go_on.set()
    _stop(capture)
    assert capture.received + capture.kernel_drops == sent


def test_a_failure_while_handing_on_ends_the_thread_and_is_kept() -> None:
    group = new_group()
    failure = RuntimeError("no room")

    def take(_: Sequence[Datagram]) -> None:
        raise failure

    capture = _capture(group, take)
    capture.start()
    send_all([b"x"], to=group)
    assert capture.has_ended(within_s=PATIENCE_S)
    assert capture.maybe_failure is failure


def test_a_capture_that_was_never_started_ends_at_once() -> None:
    capture = _capture(new_group(), lambda _: None)
    capture.ask_to_stop()
    assert capture.has_ended(within_s=0.0)
