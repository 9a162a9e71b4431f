"""The capture's benchmark: is every datagram received or counted as dropped, and at what cost?

    precede bench capture [--output json]
    python -m benchmarks.capture --seconds 5 [--buffer-bytes N] [--output json]

Real multicast on loopback, envelopes of 200 bytes, the sender a process of its own, the agent's
default buffers. Four runs: capture alone at 50,000/s and at 150,000/s offered; the latter again
with a buffer that is far too small, so that the kernel drops; and capture with the intake behind it
at 50,000/s. `ok` is false if in any run received + drops is not what was sent.
docs/edge/capture.md says what each figure means.
"""

from __future__ import annotations

import argparse
import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

from benchmarks.figures import Measured, at_least, at_most, print_measured, rounded
from benchmarks.timing import Say
from ingest.capture import Capture
from ingest.datagram import Datagram, Take
from ingest.intake import Intake
from ingest.settings import AgentSettings
from ingest.token_bucket import TokenBucket
from ingest.wire.addresses import GroupAddress, Subscription
from ingest.wire.multicast import LOOPBACK_INTERFACE

STEADY_PER_S: Final = 50_000
FLOOD_PER_S: Final = 150_000
DATAGRAM_BYTES: Final = 200
DEFAULT_BUFFER_BYTES: Final = AgentSettings().receive_buffer_bytes
RECORDED_SECONDS: Final = 60.0
FLOOD_SHARE: Final = 0.25
"""The other runs take a quarter of the first one's time."""
SMALL_BUFFER_BYTES: Final = 16 * 1024
"""Room for some forty datagrams, so that the kernel has to drop."""

_PAGE_BYTES: Final = os.sysconf("SC_PAGE_SIZE")
_WARM_UP_DATAGRAMS: Final = 20_000
_END_WITHIN_S: Final = 60.0
_LOOK_EVERY_S: Final = 0.02

GOALS: Final = {
    "capture_50000_per_s_kernel_drops": at_most(0),
    "capture_50000_per_s_offered_messages_per_s": at_least(STEADY_PER_S * 0.99),
    "intake_50000_per_s_kernel_drops": at_most(0),
    "capture_50000_per_s_memory_growth_bytes": at_most(4 * 1024 * 1024),
}


class Load(NamedTuple):
    """One run: its name among the figures, what takes the datagrams, how many and how long."""

    name: str
    take: Take
    per_s: int
    seconds: float
    buffer_bytes: int


class Outcome(NamedTuple):
    """What became of the datagrams of one run, and what it cost."""

    sent: int
    received: int
    kernel_drops: int
    offered_per_s: float
    processor_ns: float
    """for each datagram, all threads of this process together"""
    memory_growth_bytes: int
    buffer_got_bytes: int

    def figures(self, name: str) -> dict[str, float]:
        """Give them under this run's name."""
        return {
            f"{name}_offered_messages_per_s": rounded(self.offered_per_s),
            f"{name}_sent": self.sent,
            f"{name}_received": self.received,
            f"{name}_kernel_drops": self.kernel_drops,
            f"{name}_processor_ns_per_message": rounded(self.processor_ns),
            f"{name}_memory_growth_bytes": self.memory_growth_bytes,
            f"{name}_receive_buffer_bytes": self.buffer_got_bytes,
        }


def measure(
    seconds: float = RECORDED_SECONDS,
    *,
    buffer_bytes: int = DEFAULT_BUFFER_BYTES,
    say: Say = lambda _: None,
) -> Measured:
    """Run all loads, the first for `seconds`; `say` is told which."""
    figures: dict[str, float] = {}
    faults: list[str] = []
    short = seconds * FLOOD_SHARE
    loads = (
        Load("capture_50000_per_s", _drop, STEADY_PER_S, seconds, buffer_bytes),
        Load("capture_150000_per_s", _drop, FLOOD_PER_S, short, buffer_bytes),
        Load("capture_small_buffer", _drop, FLOOD_PER_S, short, SMALL_BUFFER_BYTES),
        Load("intake_50000_per_s", _through_intake(), STEADY_PER_S, short, buffer_bytes),
    )
    for load in loads:
        say(f"{load.name}: {load.per_s:,} datagrams/s for {load.seconds:g} s")
        outcome = run(load)
        figures |= outcome.figures(load.name)
        accounted = outcome.received + outcome.kernel_drops
        if accounted != outcome.sent:
            faults.append(
                f"{load.name}: received {outcome.received} + drops {outcome.kernel_drops}"
                f" = {accounted}, but sent {outcome.sent}"
            )
    return Measured(figures, GOALS, tuple(faults))


def run(load: Load) -> Outcome:
    """Capture what a sender of its own process sends, and account for all of it."""
    group = free_group()
    capture = Capture(
        Subscription(group),
        interface=LOOPBACK_INTERFACE,
        buffer_bytes=load.buffer_bytes,
        take=load.take,
    )
    capture.start()
    # The first datagrams touch all the buffers; growth and cost are what comes after that.
    warm, _ = send_from_process(group, per_s=load.per_s, seconds=_WARM_UP_DATAGRAMS / load.per_s)
    _wait_for(capture, warm)
    taken, before_bytes, before_ns = capture.received, _resident_bytes(), time.process_time_ns()
    sent, took_s = send_from_process(group, per_s=load.per_s, seconds=load.seconds)
    _wait_for(capture, warm + sent)
    processor_ns = time.process_time_ns() - before_ns
    grown_bytes = _resident_bytes() - before_bytes
    taken = capture.received - taken
    capture.ask_to_stop()
    if not capture.has_ended(within_s=_END_WITHIN_S) or capture.maybe_failure is not None:
        raise RuntimeError(f"the capture did not end well: {capture.maybe_failure}")
    return Outcome(
        sent=warm + sent,
        received=capture.received,
        kernel_drops=capture.kernel_drops,
        offered_per_s=sent / took_s,
        processor_ns=processor_ns / max(1, taken),
        memory_growth_bytes=grown_bytes,
        buffer_got_bytes=capture.buffer_got_bytes,
    )


def _wait_for(capture: Capture, count: int) -> None:
    """Wait until so many are accounted for, or until it is clear that they never will be."""
    deadline_s = time.monotonic() + _END_WITHIN_S
    while capture.received + capture.kernel_drops < count and time.monotonic() < deadline_s:
        time.sleep(_LOOK_EVERY_S)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run from the shell; gives the exit code."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.capture")
    parser.add_argument("--output", choices=("table", "json"), default="table")
    parser.add_argument("--seconds", type=float, default=RECORDED_SECONDS)
    parser.add_argument("--buffer-bytes", type=int, default=DEFAULT_BUFFER_BYTES)
    chosen = parser.parse_args(arguments)
    measured = measure(
        chosen.seconds,
        buffer_bytes=chosen.buffer_bytes,
        say=lambda line: print(line, file=sys.stderr, flush=True),
    )
    return print_measured(measured, as_json=chosen.output == "json")


def send_from_process(group: GroupAddress, *, per_s: int, seconds: float) -> tuple[int, float]:
    """Let a process of its own send, and give what it says: how many, and in which time."""
    done = subprocess.run(
        [
            sys.executable, "-m", "benchmarks.capture_sender", "--group", str(group),
            "--per-s", str(per_s), "--seconds", str(seconds), "--bytes", str(DATAGRAM_BYTES),
        ],
        check=True, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    told = json.loads(done.stdout)
    return int(told["sent"]), float(told["took_s"])


def _drop(_: Sequence[Datagram]) -> None:
    """Take datagrams and do nothing with them."""


def _through_intake() -> Take:
    """Take datagrams as an agent does: check and judge them, but publish them nowhere."""
    intake = Intake(TokenBucket(per_second=1, burst=1), clock=lambda: 0)

    def take(datagrams: Sequence[Datagram]) -> None:
        intake.admit_all(datagrams)

    return take


def free_group() -> GroupAddress:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.bind((LOOPBACK_INTERFACE, 0))
        port = probe.getsockname()[1]
    return GroupAddress(f"239.255.81.{os.getpid() % 254 + 1}", port)


def _resident_bytes() -> int:
    pages = Path("/proc/self/statm").read_text(encoding="ascii").split()[1]
    return int(pages) * _PAGE_BYTES


if __name__ == "__main__":
    sys.exit(main())
