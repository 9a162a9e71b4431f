"""Open a capture file, whichever format it has."""

from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from ingest.files import pcap, pcapng
from ingest.files.errors import CaptureFileError
from ingest.files.packet import Packet, Tally


def open_capture_file(path: Path) -> BinaryIO:
    """Open a file and look at its beginning. Raises CaptureFileError if it is no capture."""
    try:
        stream = path.open("rb")
    except OSError as error:
        raise CaptureFileError(
            f"the capture file {path} can't be read ({error.strerror or error}); name a pcap or"
            " pcapng file"
        ) from None
    try:
        start = stream.peek(4)[:4]
    except OSError as error:
        stream.close()
        raise CaptureFileError(
            f"the capture file {path} can't be read ({error.strerror or error}); name a pcap or"
            " pcapng file"
        ) from None
    if start not in pcap.MAGICS and start != pcapng.MAGIC:
        stream.close()
        hint = "; unpack it first" if start[:2] == b"\x1f\x8b" else ""
        raise CaptureFileError(
            f"the file {path} is neither pcap nor pcapng: it begins with {start.hex() or 'nothing'}"
            f"{hint or '; write one with tcpdump -w or Wireshark'}"
        )
    return stream


def packets_of(stream: BinaryIO, tally: Tally) -> Iterator[Packet]:
    """Give the packets of a stream that `open_capture_file` has looked at."""
    header = stream.read(pcap.HEADER_BYTES)
    if header[:4] == pcapng.MAGIC:
        yield from pcapng.read_pcapng(stream, header, tally)
    elif len(header) == pcap.HEADER_BYTES and header[:4] in pcap.MAGICS:
        yield from pcap.read_pcap(stream, header, tally)
