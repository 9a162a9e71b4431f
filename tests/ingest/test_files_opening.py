from pathlib import Path

import pytest

from ingest.files.errors import CaptureFileError
from ingest.files.opening import open_capture_file, packets_of
from ingest.files.packet import Tally
from tests.ingest.capture_files import pcap, pcapng, records


@pytest.mark.parametrize("write", [pcap, pcapng])
def test_the_format_is_known_by_the_content_and_not_by_the_name(
    tmp_path: Path, write: type
) -> None:
    path = tmp_path / "capture.dat"
    path.write_bytes(write(records([b"one"]), 1))
    with open_capture_file(path) as stream:
        assert [packet.data for packet in packets_of(stream, Tally())] == [b"one"]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "begins with nothing"),
        (b"hello", "68656c6c"),
        (b"\x1f\x8b\x08\x00", "unpack it first"),
    ],
)
def test_a_file_that_is_no_capture_is_one_sentence(
    tmp_path: Path, content: bytes, said: str
) -> None:
    path = tmp_path / "capture.pcap"
    path.write_bytes(content)
    with pytest.raises(CaptureFileError, match=said):
        open_capture_file(path)


def test_a_file_that_is_not_there_is_one_sentence(tmp_path: Path) -> None:
    for path in (tmp_path / "missing.pcap", tmp_path):
        with pytest.raises(CaptureFileError, match="name a pcap or pcapng file"):
            open_capture_file(path)


def test_a_file_that_ends_in_its_header_has_no_packets(tmp_path: Path) -> None:
    path = tmp_path / "capture.pcap"
    path.write_bytes(pcap([], 1)[:10])
    with open_capture_file(path) as stream:
        assert list(packets_of(stream, Tally())) == []
