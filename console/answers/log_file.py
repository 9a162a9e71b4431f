"""A log in a file, as raw records: a capture (pcap, pcapng) or lines of JSON.

A line of JSON is a message, a tick that moves the log's time on, or raw bytes:

    {"group": "shop", "sender": "ann", "seq": 1, "data": "two teas, please", "at": 1767603600}
    {"group": "shop", "sender": "bob", "seq": 1, "parent": ["ann", 1], "data": "right away"}
    {"tick": true, "at": 1767603602}
    {"raw": "00ff"}

`sender` is a name, or a name with its incarnation (`ann#2`); `parent` and `also` name what it
answers; `at` is when it was captured, in seconds since 1970 (that of the line before if it is left
out), `sent` when it was sent (else the same); `data` is text, or any JSON. A file that is packed
with gzip is unpacked as it is read.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import msgspec

from console.errors import ExitCode, OperatorError
from ingest.wire.addresses import Subscription
from ingest.wire.envelope import Envelope, Kind, encode, tick
from ingest.wire.errors import WireError
from ordering.values import GroupId, MemberId, MessageId

FIRST_BYTES = 4
MOST_LINE_BYTES = 1 << 20
_MICROSECONDS_PER_SECOND = 1_000_000
Reference = tuple[str, int]


class LogRecord(NamedTuple):
    """One raw record: when it was captured, and its bytes."""

    captured_at: int
    value: bytes


class _Line(msgspec.Struct, frozen=True):
    group: str = ""
    sender: str = ""
    seq: int = 0
    parent: Reference | None = None
    also: tuple[Reference, ...] = ()
    at: float | None = None
    sent: float | None = None
    data: Any = ""
    tick: bool = False
    raw: str | None = None


_DECODER = msgspec.json.Decoder(_Line)


def read_log(path: Path, *, subscriptions: Iterable[Subscription]) -> Iterator[LogRecord]:
    """The records of a file in its order; an error of the file names the line."""
    try:
        with path.open("rb") as stream:
            start = stream.read(FIRST_BYTES)
            stream.seek(0)
            if _is_capture(start):
                yield from _read_capture(path, subscriptions)
            elif start.startswith(b"\x1f\x8b"):
                with gzip.open(stream) as unpacked:
                    yield from _read_lines(unpacked, path)
            else:
                yield from _read_lines(stream, path)
    except (OSError, EOFError) as error:
        raise _unreadable(path, getattr(error, "strerror", None) or str(error)) from error


def _is_capture(start: bytes) -> bool:
    from ingest.files import pcap, pcapng

    return start in pcap.MAGICS or start == pcapng.MAGIC


def _read_capture(path: Path, subscriptions: Iterable[Subscription]) -> Iterator[LogRecord]:
    from ingest.files.datagrams import FileDatagrams
    from ingest.files.opening import open_capture_file, packets_of
    from ingest.files.packet import Tally

    tally = Tally()
    with open_capture_file(path) as stream:
        datagrams = FileDatagrams(subscriptions, tally)
        for datagram in datagrams.datagrams_of(packets_of(stream, tally)):
            yield LogRecord(datagram.captured_at, datagram.data)


def _read_lines(stream: BinaryIO | gzip.GzipFile, path: Path) -> Iterator[LogRecord]:
    last_at = 0
    number = 0
    while raw := stream.readline(MOST_LINE_BYTES + 1):
        number += 1
        if len(raw) > MOST_LINE_BYTES:
            raise _unreadable(path, f"line {number} has more than {MOST_LINE_BYTES} bytes")
        if not raw.strip():
            continue
        try:
            line = _DECODER.decode(raw)
            if line.at is not None:
                last_at = int(line.at * _MICROSECONDS_PER_SECOND)
            yield LogRecord(last_at, _value(line, last_at))
        except (msgspec.DecodeError, WireError, ValueError, OverflowError) as error:
            raise _unreadable(path, f"line {number}: {error}") from error


def _value(line: _Line, at: int) -> bytes:
    if line.tick:
        return encode(tick(at))
    if line.raw is not None:
        return bytes.fromhex(line.raw)
    parents = () if line.parent is None else (line.parent, *line.also)
    data = line.data if isinstance(line.data, str) else json.dumps(line.data, ensure_ascii=False)
    envelope = Envelope(
        Kind.MESSAGE,
        GroupId(line.group),
        _member(line.sender),
        line.seq,
        tuple(MessageId(_member(name), seq) for name, seq in parents),
        data.encode(),
        sent_at=at if line.sent is None else int(line.sent * _MICROSECONDS_PER_SECOND),
    )
    return encode(envelope)


def _member(name: str) -> MemberId:
    return MemberId(name if "#" in name else f"{name}#1")


def _unreadable(path: Path, problem: str) -> OperatorError:
    return OperatorError(
        f"the log {path} cannot be read: {problem}; a log is a pcap or pcapng file, or lines of "
        'JSON such as {"group": "shop", "sender": "ann", "seq": 1, "data": "hello"}',
        ExitCode.USAGE,
    )
