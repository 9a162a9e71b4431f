"""A member that speaks its lines of a scripted conversation, each at its time, over multicast.

    python -m members.speaker --script rust.jsonl --member Jezza --group-address 239.255.80.1
        --port 5080 --start-at 1760000000000000 --speed 60

One process for each member, so that a conversation is as parallel as a real one. The bytes of a
line depend on the script, the start, the speed and the key only: a member that is started again
says the same.

`Speaker` decides what is due (time is passed in); `main` owns the socket, the clock and the
signals.
"""

import argparse
import json
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Final

from ingest.authentication.errors import KeysError
from ingest.authentication.keyring import Keyring
from ingest.authentication.mode import Mode
from ingest.wire.envelope import Envelope, Kind, encode
from ingest.wire.errors import MulticastError
from ingest.wire.multicast import (
    LOOPBACK_INTERFACE,
    GroupAddress,
    open_sender,
    parse_group_address,
    send,
)
from members.errors import ScriptError
from members.script import Line, read_script
from ordering.stamps import CausalStamps

_MICROSECONDS_PER_SECOND: Final = 1_000_000
_NANOSECONDS_PER_MICROSECOND: Final = 1_000
_LONGEST_WAIT_S: Final = 1.0


class Speaker:
    """Says which datagrams are due. Pure: no clock, no socket."""

    def __init__(
        self,
        lines: Sequence[Line],
        *,
        start_at: int,
        speed: float,
        written: Callable[[Envelope], bytes] = encode,
    ) -> None:
        """Prepare the lines of one member; at speed 60 an hour's conversation takes a minute.

        `written` makes the datagram of an envelope: plain, or tagged with the member's key.
        """
        if not speed > 0:
            raise ScriptError(
                f"the speed is {speed}; it must be above 0, and 1 is the script's own"
            )
        ordered = sorted(lines, key=lambda line: line.at_us)
        # The latest is last, so that `pop` takes the next one to be said.
        self._waiting = [(start_at + round(line.at_us / speed), line) for line in reversed(ordered)]
        self._written = written
        self.sent = 0

    def due(self, *, now: int) -> list[bytes]:
        """Give the datagrams of the lines that are to be said by `now` (microseconds)."""
        datagrams: list[bytes] = []
        while self._waiting and self._waiting[-1][0] <= now:
            at, line = self._waiting.pop()
            datagrams.append(self._written(_envelope_of(line, sent_at=at)))
        self.sent += len(datagrams)
        return datagrams

    def next_deadline(self) -> int | None:
        """Say when the next line is due, or None after the last."""
        return self._waiting[-1][0] if self._waiting else None


def _envelope_of(line: Line, *, sent_at: int) -> Envelope:
    return Envelope(
        kind=Kind.MESSAGE,
        group=line.group,
        sender=line.id.sender,
        seq=line.id.seq,
        parents=line.parents,
        payload=line.text.encode("utf-8"),
        sent_at=sent_at,
        stamps=_stamps_of(line),
    )


def _stamps_of(line: Line) -> CausalStamps | None:
    """Give a line's vector clock as stamps: the next seq of each member that does not precede."""
    if not line.clock:
        return None
    members = tuple(member for member, _ in line.clock)
    csn = tuple(count + (member != line.id.sender) for member, count in line.clock)
    return CausalStamps(members, csn=csn, ack=csn)


def speak(
    speaker: Speaker, *, to: GroupAddress, interface: str, is_stopping: threading.Event
) -> None:
    """Multicast every line at its time, until the last or until `is_stopping` is set."""
    with open_sender(interface=interface, is_ipv6=to.is_ipv6) as sender:
        while not is_stopping.is_set():
            now = time.time_ns() // _NANOSECONDS_PER_MICROSECOND
            for datagram in speaker.due(now=now):
                send(sender, datagram, to=to)
            maybe_deadline = speaker.next_deadline()
            if maybe_deadline is None:
                return
            wait_s = (maybe_deadline - now) / _MICROSECONDS_PER_SECOND
            is_stopping.wait(min(wait_s, _LONGEST_WAIT_S))


def main(arguments: Sequence[str]) -> int:
    """Speak, then print how many messages were sent; SIGTERM ends it early and well."""
    chosen = _parser().parse_args(arguments)
    try:
        to = parse_group_address(f"{chosen.group_address}:{chosen.port}")
        lines = read_script(chosen.script).spoken_by(chosen.member)
        lines = tuple(line for line in lines if line.id.seq not in chosen.lose)
        speaker = Speaker(
            lines,
            start_at=chosen.start_at,
            speed=chosen.speed,
            written=_writer(Mode(chosen.mode), chosen.keys_file),
        )
        with _stopped_by_signals() as is_stopping:
            speak(speaker, to=to, interface=chosen.interface, is_stopping=is_stopping)
    except (ScriptError, MulticastError, KeysError) as error:
        print(error, file=sys.stderr)
        return error.exit_code
    print(json.dumps({"ok": True, "member": chosen.member, "sent": speaker.sent}))
    return 0


def _writer(mode: Mode, maybe_keys_file: Path | None) -> Callable[[Envelope], bytes]:
    """Give what makes datagrams of envelopes: with the keys of a file, or as they are."""
    if mode is Mode.NONE:
        return encode
    if maybe_keys_file is None:
        raise KeysError(f"the mode {mode} needs keys; name a file with --keys-file")
    return partial(Keyring(maybe_keys_file).protect, mode=mode)


@contextmanager
def _stopped_by_signals() -> Iterator[threading.Event]:
    """Give an event that SIGTERM and SIGINT set, and put things back afterwards."""
    is_stopping = threading.Event()
    numbers = (signal.SIGTERM, signal.SIGINT)
    before = [signal.signal(number, lambda *_: is_stopping.set()) for number in numbers]
    try:
        yield is_stopping
    finally:
        for number, handler in zip(numbers, before, strict=True):
            signal.signal(number, handler)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m members.speaker", description="Speak one member's lines of a script."
    )
    parser.add_argument("--script", type=Path, required=True, help="the conversation, JSON lines")
    parser.add_argument("--member", required=True, help="whose lines to speak")
    parser.add_argument("--group-address", required=True, help="multicast address to speak to")
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument(
        "--start-at",
        type=int,
        required=True,
        help="when the conversation starts, in microseconds since the epoch",
    )
    parser.add_argument("--speed", type=float, default=1.0, help="60 = an hour in a minute")
    parser.add_argument(
        "--lose",
        type=int,
        action="append",
        default=[],
        metavar="SEQ",
        help="a line that is lost for good: it is never sent; may be repeated",
    )
    parser.add_argument(
        "--mode",
        choices=[mode.value for mode in Mode],
        default=Mode.NONE.value,
        help="how the group is protected",
    )
    parser.add_argument(
        "--keys-file", type=Path, help="keys of the group or the member, from `precede keys`"
    )
    parser.add_argument(
        "--interface", default=LOOPBACK_INTERFACE, help="address of the interface to speak from"
    )
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
