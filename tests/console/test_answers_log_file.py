"""Logs in files: lines of JSON, packed or not, and captures."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from console.answers.log_file import MOST_LINE_BYTES, read_log
from console.errors import OperatorError
from ingest.wire.addresses import parse_subscription
from ingest.wire.envelope import Kind, decode
from tests.ingest.capture_files import IPV4_GROUP, ip, pcap, records, udp
from tests.messages import wire

RAW_LINK = 101

LINES = (
    '{"group": "g", "sender": "ann", "seq": 1, "data": {"n": 1}, "at": 2}\n'
    '{"group": "g", "sender": "bob#3", "seq": 9, "parent": ["ann", 1], "also": [["cat#2", 4]]}\n'
    '\n{"tick": true, "at": 3.5}\n{"raw": "00ff"}\n'
)


def test_a_line_is_a_message_a_tick_or_bytes(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text(LINES)
    first, second, third, fourth = read_log(path, subscriptions=())
    assert (first.captured_at, decode(first.value).payload) == (2_000_000, b'{"n": 1}')
    envelope = decode(second.value)
    assert (envelope.sender, envelope.sent_at) == ("bob#3", 2_000_000)
    assert [str(one.sender) for one in envelope.parents] == ["ann#1", "cat#2"]
    assert decode(third.value).kind is Kind.TICK
    assert (fourth.captured_at, fourth.value) == (3_500_000, b"\x00\xff")


def test_a_packed_file_reads_the_same(tmp_path: Path) -> None:
    plain, packed = tmp_path / "log.jsonl", tmp_path / "log.jsonl.gz"
    plain.write_text(LINES)
    packed.write_bytes(gzip.compress(LINES.encode()))
    assert list(read_log(packed, subscriptions=())) == list(read_log(plain, subscriptions=()))


def test_a_capture_gives_the_datagrams_of_the_subscriptions(tmp_path: Path) -> None:
    path = tmp_path / "capture.pcap"
    packets = [ip(udp(wire("a", seq))) for seq in (1, 2)]
    path.write_bytes(pcap(records(packets), RAW_LINK))
    here = [parse_subscription(str(IPV4_GROUP))]
    assert [one.value for one in read_log(path, subscriptions=here)] == [wire("a", 1), wire("a", 2)]
    assert list(read_log(path, subscriptions=[parse_subscription("239.9.9.8:5080")])) == []


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("{", "line 1"),
        ('{"group": "", "sender": "a", "seq": 1}\n', "line 1"),
        ('\n\n{"raw": "xy"}\n', "line 3"),
        ("x" * (MOST_LINE_BYTES + 2), "line 1 has more than"),
    ],
)
def test_what_is_no_log_names_the_line(tmp_path: Path, content: str, said: str) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text(content)
    with pytest.raises(OperatorError, match=said):
        list(read_log(path, subscriptions=()))


def test_a_file_that_is_not_there_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(OperatorError, match="cannot be read"):
        list(read_log(tmp_path / "nothing", subscriptions=()))
