"""Take Kafka away from an agent under load and see what becomes of the messages.

    python -m benchmarks.outage [--fault kill|pause|stop ...] [--rate N] [--away-s S]

A broker of its own, the agent's spool and publisher, a load of numbered messages, and a reader that
is attached throughout. Several faults come one after the other, the broker up between them. The
reader checks every group's numbers as they come: next, again, or too early.
docs/edge/spool.md has the figures of the run that the promise asks for: 60 s at 20,000/s.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Final, NamedTuple

from benchmarks.figures import Measured, rounded
from benchmarks.timing import Say
from deploy.local.broker import Broker
from deploy.local.topics import create_topics, precede_topics
from ingest.kafka_options import RawTopic
from ingest.publish_settings import PublishSettings
from ingest.publisher import Publisher
from ingest.spool.settings import SpoolSettings
from ingest.spool.spool import Spool
from ingest.wire.bundle import entries_of
from sinks.kafka_client import follow_topic, producer_options
from sinks.settings import KafkaSettings

TICK_S: Final = 0.005
MESSAGE_BYTES: Final = 200
CATCH_UP_WITHIN_S: Final = 300.0
PARTITIONS: Final = 4
_MICROSECONDS_PER_SECOND: Final = 1_000_000
_LOOK_EVERY_S: Final = 0.05


class Fault(StrEnum):
    """What happens to the broker."""

    KILL = "kill"
    PAUSE = "pause"
    STOP = "stop"


class Options(NamedTuple):
    """One run: before, away and after are how long the load goes on around each fault."""

    faults: tuple[Fault, ...] = (Fault.KILL,)
    rate: int = 20_000
    before_s: float = 5.0
    away_s: float = 60.0
    after_s: float = 5.0
    groups: int = 50
    pack_bytes: int = 64 * 1024
    sync_every_ms: int = 50


class Load(threading.Thread):
    """Appends numbered messages to a spool at a steady rate until it is told to stop."""

    def __init__(self, spool: Spool, options: Options) -> None:
        super().__init__(name="load", daemon=True)
        self.sent = 0
        self.slowest_append_s = 0.0
        self._spool = spool
        self._options = options
        self._is_over = threading.Event()

    def run(self) -> None:
        """Send what is due at each tick, so that a slow tick is made up for."""
        groups = self._options.groups
        started_s = time.monotonic()
        while not self._is_over.wait(TICK_S):
            due = int((time.monotonic() - started_s) * self._options.rate)
            while self.sent < due:
                number, group = divmod(self.sent, groups)
                before_s = time.monotonic()
                self._spool.append(
                    int(time.time() * _MICROSECONDS_PER_SECOND),
                    b"group-%d" % group,
                    b"%d %d " % (group, number) + b"x" * MESSAGE_BYTES,
                )
                self.slowest_append_s = max(self.slowest_append_s, time.monotonic() - before_s)
                self.sent += 1

    def finish(self) -> int:
        """Stop, and give how many messages there were."""
        self._is_over.set()
        self.join()
        return self.sent


class Reader(threading.Thread):
    """Follows the raw topic while the broker comes and goes, and checks what comes."""

    def __init__(self, kafka: KafkaSettings) -> None:
        super().__init__(name="reader", daemon=True)
        self.arrived = self.again = self.early = 0
        self._kafka = kafka
        self._next: dict[bytes, int] = {}
        self._is_over = threading.Event()

    def run(self) -> None:
        """Read until told to stop."""
        topic = self._kafka.topics.raw
        for records in follow_topic(self._kafka, topic, is_over=self._is_over.is_set):
            for record in records:
                for _, content in entries_of(record.value, captured_at=0):
                    self._check(content)

    def finish(self) -> None:
        """Stop reading."""
        self._is_over.set()
        self.join()

    def _check(self, content: bytes) -> None:
        group, number, _ = content.split(b" ", 2)
        expected = self._next.get(group, 0)
        if int(number) < expected:
            self.again += 1
            return
        if int(number) > expected:
            self.early += 1
        self.arrived += 1
        self._next[group] = int(number) + 1


class Outcome(NamedTuple):
    """What became of the messages of one run."""

    sent: int
    arrived: int
    again: int
    early: int
    sessions: int
    catch_up_s: float
    spool_peak_bytes: int
    slowest_append_s: float
    blocked: int

    def faults(self) -> tuple[str, ...]:
        """What may not be, in words; repeats may be, after a new session."""
        found = []
        if self.arrived != self.sent:
            found.append(f"{self.arrived} of {self.sent} messages arrived")
        if self.early:
            found.append(f"{self.early} messages came before an earlier one of their group")
        if self.again and self.sessions == 1:
            found.append(f"{self.again} messages came twice within one session")
        return tuple(found)


def run_outage(options: Options, directory: Path, *, say: Say = lambda _: None) -> Outcome:
    """Run it once, on a broker and in a folder of its own."""
    with Broker(directory / "broker") as broker:
        create_topics(broker.bootstrap, precede_topics(prefix="outage", partitions=PARTITIONS))
        kafka = KafkaSettings(
            bootstrap=broker.bootstrap, topic_prefix="outage", partitions=PARTITIONS
        )
        raw = RawTopic(
            bootstrap=kafka.bootstrap, topic=kafka.topics.raw,
            client_options=producer_options(kafka),
        )  # fmt: skip
        spool = Spool(
            SpoolSettings(directory=str(directory / "spool"), sync_every_ms=options.sync_every_ms)
        )
        settings = PublishSettings(pack_bytes=options.pack_bytes)
        publisher = Publisher(spool, raw, settings, away_after_s=1.0)
        reader, load = Reader(kafka), Load(spool, options)
        reader.start()
        publisher.start()
        load.start()
        try:
            peak_bytes = _play(options, broker, spool, say)
            sent = load.finish()
            say(f"{sent:,} messages sent, {spool.waiting:,} wait in the spool")
            catch_up_s = _wait_for(lambda: reader.arrived + reader.early >= sent)
        finally:
            load.finish()
            publisher.close(within_s=0.0)
            spool.close(within_s=10.0)
            reader.finish()
    return Outcome(
        sent, reader.arrived, reader.again, reader.early, publisher.sessions,
        catch_up_s, peak_bytes, load.slowest_append_s, spool.blocked,
    )  # fmt: skip


def _play(options: Options, broker: Broker, spool: Spool, say: Say) -> int:
    """Let the load run, take the broker away and bring it back, for each fault; give the spool's
    largest size.
    """
    peak_bytes = 0
    for fault in options.faults:
        time.sleep(options.before_s)
        say(f"{fault} the broker for {options.away_s:g} s")
        {Fault.KILL: broker.kill, Fault.PAUSE: broker.pause, Fault.STOP: broker.stop}[fault]()
        time.sleep(options.away_s)
        peak_bytes = max(peak_bytes, spool.total_bytes)
        say("bring it back")
        if fault is Fault.PAUSE:
            broker.resume()
        else:
            broker.restart()
        peak_bytes = max(peak_bytes, spool.total_bytes)
        time.sleep(options.after_s)
    return peak_bytes


def _wait_for(is_so: Callable[[], bool]) -> float:
    """Give how long it took until something was so; a bound ends a run that never gets there."""
    started_s = time.monotonic()
    while not is_so() and time.monotonic() - started_s < CATCH_UP_WITHIN_S:
        time.sleep(_LOOK_EVERY_S)
    return time.monotonic() - started_s


def measure(options: Options | None = None, *, say: Say = lambda _: None) -> Measured:
    """Run it in a temporary folder and give the figures."""
    chosen = options or Options()
    with tempfile.TemporaryDirectory() as folder:
        outcome = run_outage(chosen, Path(folder), say=say)
    figures = {
        "rate_messages_per_s": float(chosen.rate),
        "away_s": chosen.away_s,
        "sent_messages": float(outcome.sent),
        "arrived_messages": float(outcome.arrived),
        "again_messages": float(outcome.again),
        "early_messages": float(outcome.early),
        "producer_sessions": float(outcome.sessions),
        "spool_peak_bytes": float(outcome.spool_peak_bytes),
        "catch_up_after_load_s": rounded(outcome.catch_up_s),
        "slowest_append_ms": rounded(outcome.slowest_append_s * 1_000),
        "blocked_appends": float(outcome.blocked),
    }
    return Measured(figures, {}, outcome.faults())


def main(arguments: Sequence[str] | None = None) -> int:
    """Run from the shell; gives the exit code."""
    defaults = Options()
    parser = argparse.ArgumentParser(prog="python -m benchmarks.outage", description=__doc__)
    parser.add_argument(
        "--fault", choices=[fault.value for fault in Fault], action="append",
        help="repeatable: one after the other; kill without it",
    )  # fmt: skip
    parser.add_argument("--rate", type=int, default=defaults.rate, metavar="N")
    parser.add_argument("--away-s", type=float, default=defaults.away_s, metavar="S")
    chosen = parser.parse_args(arguments)
    faults = tuple(Fault(word) for word in chosen.fault or ()) or defaults.faults
    options = defaults._replace(faults=faults, rate=chosen.rate, away_s=chosen.away_s)
    measured = measure(options, say=lambda line: print(line, file=sys.stderr, flush=True))
    print(json.dumps(measured.as_result()))
    return 1 if measured.faults else 0


if __name__ == "__main__":
    sys.exit(main())
