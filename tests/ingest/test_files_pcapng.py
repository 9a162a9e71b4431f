import io
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.files import pcapng as pcapng_module
from ingest.files.errors import FileReason
from ingest.files.opening import packets_of
from ingest.files.packet import Packet, Tally
from tests.ingest.capture_files import (
    Record,
    block,
    enhanced,
    interface,
    option,
    pcapng,
    records,
    section,
)

CONTENT = records([b"one", b"", b"three" * 100])
PACKETS = [Packet(1, at, data, False) for data, at, _ in CONTENT]


def _read(data: bytes) -> tuple[list[Packet], Tally]:
    tally = Tally()
    return list(packets_of(io.BytesIO(data), tally)), tally


@pytest.mark.parametrize("order", ["<", ">"])
def test_both_byte_orders_are_read(order: str) -> None:
    packets, tally = _read(pcapng(CONTENT, 1, order=order))
    assert packets == PACKETS
    assert (tally.records, tally.left_out) == (3, {})


def test_sections_of_either_order_follow_each_other_and_have_their_own_interfaces() -> None:
    packets, _ = _read(pcapng(CONTENT, 1, order="<") + pcapng(CONTENT, 101, order=">"))
    assert packets == PACKETS + [packet._replace(link_type=101) for packet in PACKETS]


@pytest.mark.parametrize(
    ("resolution", "ticks_per_us"), [(b"\x06", 1), (b"\x09", 1_000), (b"\x0a", 10_000)]
)
def test_time_is_read_in_the_resolution_of_its_interface(
    resolution: bytes, ticks_per_us: int
) -> None:
    record = CONTENT[0]
    ticks = record.captured_at * ticks_per_us
    data = section() + interface(1, options=option(9, resolution)) + enhanced(record, ticks=ticks)
    assert _read(data)[0] == PACKETS[:1]


def test_time_may_count_in_powers_of_two_and_from_another_beginning() -> None:
    options = option(9, b"\x8a") + option(14, struct.pack("<q", 5))
    data = section() + interface(1, options=options) + enhanced(CONTENT[0], ticks=3 * 1_024 + 512)
    assert [packet.captured_at for packet in _read(data)[0]] == [8_500_000]


def test_packets_of_all_three_kinds_are_read_and_others_passed_over() -> None:
    time = CONTENT[0].captured_at
    old = struct.pack("<HHIIII", 0, 9, time >> 32, time & 0xFFFFFFFF, 3, 3) + b"old"
    simple = struct.pack("<I", 6) + b"simple"
    data = section() + interface(1) + block(2, old) + block(0xABCD, bytes(200_000))
    packets, tally = _read(data + block(3, simple))
    assert packets == [Packet(1, time, b"old", False), Packet(1, time, b"simple", False)]
    assert tally.records == 2


def test_what_the_capturing_machine_lost_is_taken_over_once() -> None:
    def statistics(drops: int) -> bytes:
        body = struct.pack("<III", 0, 0, 0) + option(7, struct.pack("<Q", drops)) + option(0, b"")
        return block(5, body)

    _, tally = _read(section() + interface(1) + statistics(3) + statistics(10))
    assert tally.dropped_before == 10


def test_a_packet_of_an_interface_that_is_not_there_is_counted_and_the_next_is_read() -> None:
    data = section() + interface(1) + enhanced(CONTENT[0], 1) + enhanced(CONTENT[1])
    packets, tally = _read(data)
    assert packets == PACKETS[1:2]
    assert tally.left_out == {FileReason.BAD_RECORD: 1}


def test_a_packet_of_which_only_the_beginning_was_kept_says_so() -> None:
    record = Record(b"begin", 7, 1_500)
    assert _read(pcapng([record], 1))[0] == [Packet(1, 7, b"begin", True)]


@given(st.integers(0, 800))
def test_a_file_that_was_cut_anywhere_gives_what_is_whole_and_counts_the_rest(size: int) -> None:
    packets, tally = _read(pcapng(CONTENT, 1)[:size])
    assert packets == PACKETS[: len(packets)]
    assert tally.records == len(packets) + tally.left_out.total()
    assert set(tally.left_out) <= {FileReason.FILE_CUT}


@pytest.mark.parametrize("length", [0, 4, 11, 13, 0xFFFFFFFC, 0xFFFFFFFF])
def test_a_length_that_lies_ends_the_reading_without_taking_memory(length: int) -> None:
    lying = struct.pack("<II", 6, length) + bytes(100)
    packets, tally = _read(pcapng(CONTENT, 1) + lying)
    assert packets == PACKETS
    assert tally.left_out == {FileReason.BAD_RECORD: 1}


def test_interfaces_beyond_the_bound_end_the_reading(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pcapng_module, "_MOST_INTERFACES", 2)
    _, tally = _read(section() + interface(1) * 3 + enhanced(CONTENT[0]))
    assert tally.left_out == {FileReason.BAD_RECORD: 1}


@given(st.binary(max_size=300), st.integers(0, 700), st.integers(0, 255))
def test_no_damage_raises(rubbish: bytes, at: int, value: int) -> None:
    damaged = bytearray(pcapng(CONTENT, 1) + rubbish)
    damaged[at % len(damaged)] = value
    packets, tally = _read(bytes(damaged))
    assert tally.records == len(packets) + tally.left_out.total()
