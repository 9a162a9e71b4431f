"""The whole agent under load: kernel, capture, intake, spool, publisher, and a real broker.

    precede bench agent [--output json]
    python -m benchmarks.capture_agent --seconds 10 [--per-s N] [--output json]

A broker and a `precede agent` in processes of their own, default buffers, and the sender of the
capture's benchmark: 50,000 envelopes of 200 bytes per second on loopback. `ok` is false if received
+ kernel drops is not what was sent, or if what was received is neither published nor in the spool.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from benchmarks.capture import RECORDED_SECONDS, STEADY_PER_S, free_group, send_from_process
from benchmarks.figures import Measured, at_least, at_most, print_measured, rounded
from benchmarks.timing import Say
from deploy.local.broker import Broker
from deploy.local.topics import create_topics, precede_topics
from ingest.wire.addresses import GroupAddress

TOPIC_PREFIX: Final = "bench"
PARTITIONS: Final = 4
_WARM_UP_SECONDS: Final = 1.0
_DRAIN_WITHIN_MS: Final = 120_000
_END_WITHIN_S: Final = 200.0
_PAGE_BYTES: Final = os.sysconf("SC_PAGE_SIZE")
_TICKS_PER_S: Final = os.sysconf("SC_CLK_TCK")
_NS_PER_S: Final = 1_000_000_000

GOALS: Final = {
    "agent_kernel_drops": at_most(0),
    "agent_offered_messages_per_s": at_least(STEADY_PER_S * 0.99),
    "agent_memory_growth_bytes": at_most(64 * 1024 * 1024),
}


def measure(
    seconds: float = RECORDED_SECONDS, *, per_s: int = STEADY_PER_S, say: Say = lambda _: None
) -> Measured:
    """Run the load through a real agent; `say` is told how far it is."""
    group = free_group()
    with tempfile.TemporaryDirectory(prefix="precede-bench-") as folder, Broker() as broker:
        topics = precede_topics(prefix=TOPIC_PREFIX, partitions=PARTITIONS)
        create_topics(broker.bootstrap, topics)
        with _agent(group, broker.bootstrap, Path(folder)) as agent:
            warm, _ = send_from_process(group, per_s=per_s, seconds=_WARM_UP_SECONDS)
            before_bytes, before_ns = _resident_bytes(agent.pid), _processor_ns(agent.pid)
            say(f"the whole agent: {per_s:,} datagrams/s for {seconds:g} s")
            sent, took_s = send_from_process(group, per_s=per_s, seconds=seconds)
            grown_bytes = _resident_bytes(agent.pid) - before_bytes
            processor_ns = _processor_ns(agent.pid) - before_ns
            agent.send_signal(signal.SIGTERM)
            told, _ = agent.communicate(timeout=_END_WITHIN_S)
    counters = json.loads(told)
    figures = {
        "agent_offered_messages_per_s": rounded(sent / took_s),
        "agent_sent": float(warm + sent),
        **{f"agent_{name}": float(counters[name]) for name in _TOLD},
        "agent_processor_ns_per_message": rounded(processor_ns / sent),
        "agent_memory_growth_bytes": float(grown_bytes),
    }
    return Measured(figures, GOALS, faults_of(counters, sent=warm + sent))


_TOLD: Final = ("received", "kernel_drops", "published", "waiting", "receive_buffer_got_bytes")


def faults_of(counters: dict[str, Any], *, sent: int) -> tuple[str, ...]:
    """Tell which datagrams nobody accounts for."""
    faults = []
    reached = counters["received"] + counters["kernel_drops"]
    if reached != sent:
        faults.append(f"received + kernel drops = {reached}, but sent {sent}")
    kept = counters["published"] + counters["waiting"]
    if kept != counters["received"]:
        faults.append(f"published + waiting = {kept}, but received {counters['received']}")
    return tuple(faults)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run from the shell; gives the exit code."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.capture_agent")
    parser.add_argument("--output", choices=("table", "json"), default="table")
    parser.add_argument("--seconds", type=float, default=RECORDED_SECONDS)
    parser.add_argument("--per-s", type=int, default=STEADY_PER_S)
    chosen = parser.parse_args(arguments)
    measured = measure(
        chosen.seconds,
        per_s=chosen.per_s,
        say=lambda line: print(line, file=sys.stderr, flush=True),
    )
    return print_measured(measured, as_json=chosen.output == "json")


@contextmanager
def _agent(group: GroupAddress, bootstrap: str, folder: Path) -> Iterator[subprocess.Popen[str]]:
    """Run `precede agent` with its defaults beside the benchmark, and end it whatever happens."""
    process = subprocess.Popen(
        [
            sys.executable, "-m", "console", "agent", "--group", str(group),
            "--bootstrap", bootstrap, "--topic-prefix", TOPIC_PREFIX, "--output", "json",
            "--set", f"spool.directory={folder / 'spool'}", "--set", "agent.status_address=off",
            "--set", f"agent.drain_within_ms={_DRAIN_WITHIN_MS}",
        ],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        assert process.stderr is not None
        first = process.stderr.readline()
        if "ready" not in first:
            raise RuntimeError(f"the agent did not start: {first}{process.stderr.read()}")
        yield process
    finally:
        process.kill()
        process.communicate()


def _resident_bytes(process: int) -> int:
    pages = Path(f"/proc/{process}/statm").read_text(encoding="ascii").split()[1]
    return int(pages) * _PAGE_BYTES


def _processor_ns(process: int) -> int:
    """What all threads of a process have used, its own and the kernel's work for it."""
    fields = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) * _NS_PER_S // _TICKS_PER_S


if __name__ == "__main__":
    sys.exit(main())
