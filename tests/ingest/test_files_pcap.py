import io
import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.files.errors import FileReason
from ingest.files.opening import packets_of
from ingest.files.packet import MOST_PACKET_BYTES, Packet, Tally
from tests.ingest.capture_files import Record, pcap, records

CONTENT = records([b"one", b"", b"three" * 100])


def _read(data: bytes) -> tuple[list[Packet], Tally]:
    tally = Tally()
    return list(packets_of(io.BytesIO(data), tally)), tally


@pytest.mark.parametrize(("order", "is_nano"), list(itertools.product("<>", (False, True))))
def test_both_byte_orders_and_both_units_of_time_are_read(order: str, is_nano: bool) -> None:
    packets, tally = _read(pcap(CONTENT, 1, order=order, is_nano=is_nano))
    assert packets == [Packet(1, at, data, False) for data, at, _ in CONTENT]
    assert (tally.records, tally.left_out) == (3, {})


def test_a_packet_of_which_only_the_beginning_was_kept_says_so() -> None:
    packets, _ = _read(pcap([Record(b"begin", 7, 1_500)], 1))
    assert packets == [Packet(1, 7, b"begin", True)]


def test_the_length_of_a_check_sum_is_no_part_of_the_link_type() -> None:
    packets, _ = _read(pcap(CONTENT, 1 | 0x24000000))
    assert {packet.link_type for packet in packets} == {1}


@given(st.integers(0, 700))
def test_a_file_that_was_cut_anywhere_gives_what_is_whole_and_counts_the_rest(size: int) -> None:
    whole = pcap(CONTENT, 1)
    packets, tally = _read(whole[:size])
    everything = [Packet(1, at, data, False) for data, at, _ in CONTENT]
    assert packets == everything[: len(packets)]
    assert tally.records == len(packets) + tally.left_out.total()
    assert set(tally.left_out) <= {FileReason.FILE_CUT}


def test_a_length_that_lies_ends_the_reading_without_taking_memory() -> None:
    good, bad = pcap(CONTENT, 1), Record(b"", 0, MOST_PACKET_BYTES + 1)
    lying = pcap([bad], 1)[24:32] + b"\xff\xff\xff\x7f" * 2
    packets, tally = _read(good + lying + b"x" * 100)
    assert len(packets) == 3
    assert tally.left_out == {FileReason.BAD_RECORD: 1}


@given(st.binary(max_size=300))
def test_no_bytes_behind_the_header_raise(rubbish: bytes) -> None:
    packets, tally = _read(pcap([], 1) + rubbish)
    assert tally.records == len(packets) + tally.left_out.total()
