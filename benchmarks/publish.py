"""What packing gives and costs: the spool into a real broker, one message per record and packed.

    precede bench publish [--output json]

Both run on one broker, in turns, in one run. *Rate*: a full spool is emptied as fast as Kafka takes
it, several times each; the median counts. *Latency*: at a modest rate, from the moment at which a
message is put into the spool to the moment at which a reader of the raw topic has it.
"""

from __future__ import annotations

import itertools
import statistics
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NamedTuple

from benchmarks.figures import Measured, rounded
from benchmarks.timing import Say
from deploy.local.broker import Broker
from deploy.local.topics import create_topics, precede_topics
from ingest.kafka_options import RawTopic
from ingest.publish_settings import ONE_PER_RECORD, PublishSettings
from ingest.publisher import Publisher
from ingest.spool.settings import SpoolSettings
from ingest.spool.spool import Spool
from ingest.wire.bundle import entries_of
from sinks.kafka_client import end_offsets, follow_topic, producer_options
from sinks.settings import KafkaSettings

PARTITIONS: Final = 2
GROUPS: Final = 50
MESSAGE_BYTES: Final = 200
EMPTY_WITHIN_S: Final = 120.0
_NANOSECONDS_PER_SECOND: Final = 1_000_000_000
_MILLISECONDS_PER_SECOND: Final = 1_000
_LOOK_EVERY_S: Final = 0.005
_numbers = itertools.count(1)


class Options(NamedTuple):
    """How much is measured; the defaults take about two minutes."""

    messages: int = 200_000
    """in the spool when a turn begins"""
    turns: int = 3
    """of each way, interleaved"""
    latency_rate: int = 2_000
    latency_messages: int = 10_000


WAYS: Final = {
    "one_per_record": PublishSettings(pack_bytes=ONE_PER_RECORD),
    "packed": PublishSettings(),
}


class Turn(NamedTuple):
    """One spool that was emptied."""

    messages: int
    seconds: float
    stored: int
    records: int

    @property
    def rate(self) -> float:
        """Messages per second."""
        return self.messages / self.seconds


def measure(options: Options | None = None, *, say: Say = lambda _: None) -> Measured:
    """Measure both ways on a broker of its own."""
    chosen = options or Options()
    turns: dict[str, list[Turn]] = {name: [] for name in WAYS}
    delays: dict[str, list[float]] = {}
    with tempfile.TemporaryDirectory() as folder, Broker(Path(folder) / "broker") as broker:
        for turn in range(chosen.turns + 1):
            for name, settings in WAYS.items():
                say(f"{name}, turn {turn} of {chosen.turns}" if turn else f"{name}, warm-up")
                done = empty_spool(broker, settings, chosen.messages, Path(folder))
                if turn:
                    turns[name].append(done)
        for name, settings in WAYS.items():
            say(f"{name}, latency at {chosen.latency_rate:,} messages/s")
            delays[name] = delays_of(broker, settings, chosen, Path(folder))
    return _measured(chosen, turns, delays)


def empty_spool(broker: Broker, settings: PublishSettings, messages: int, folder: Path) -> Turn:
    """Fill a spool, then publish it, and give how long that took."""
    kafka, raw = _topic(broker)
    with _spool(folder) as spool:
        for number in range(messages):
            spool.append(number, b"group-%d" % (number % GROUPS), _content(number))
        spool.wait_until_durable(spool.last, within_s=EMPTY_WITHIN_S)
        publisher = Publisher(spool, raw, settings, away_after_s=EMPTY_WITHIN_S)
        started_s = time.monotonic()
        publisher.start()
        while spool.waiting and time.monotonic() - started_s < EMPTY_WITHIN_S:
            time.sleep(_LOOK_EVERY_S)
        seconds = time.monotonic() - started_s
        publisher.close(within_s=0.0)
        stored = spool.published
    records = sum(end_offsets(kafka, kafka.topics.raw).values())
    return Turn(messages, seconds, stored, records)


def delays_of(
    broker: Broker, settings: PublishSettings, options: Options, folder: Path
) -> list[float]:
    """Give how long each message took from the spool to a reader of the topic, in ms."""
    kafka, raw = _topic(broker)
    delays: list[float] = []
    is_over = threading.Event()

    def read() -> None:
        topic = kafka.topics.raw
        for records in follow_topic(kafka, topic, is_over=is_over.is_set, wait_seconds=0.02):
            now_ns = time.monotonic_ns()
            for record in records:
                for _, content in entries_of(record.value, captured_at=0):
                    sent_ns = int(content.split(b" ", 1)[0])
                    nanoseconds = now_ns - sent_ns
                    delays.append(nanoseconds * _MILLISECONDS_PER_SECOND / _NANOSECONDS_PER_SECOND)

    reader = threading.Thread(target=read, daemon=True)
    reader.start()
    with _spool(folder) as spool:
        publisher = Publisher(spool, raw, settings, away_after_s=EMPTY_WITHIN_S)
        publisher.start()
        started_s = time.monotonic()
        for number in range(options.latency_messages):
            while (time.monotonic() - started_s) * options.latency_rate < number:
                time.sleep(1 / options.latency_rate)
            spool.append(number, b"group-%d" % (number % GROUPS), _content(time.monotonic_ns()))
        while len(delays) < options.latency_messages and (
            time.monotonic() - started_s < EMPTY_WITHIN_S
        ):
            time.sleep(_LOOK_EVERY_S)
        publisher.close(within_s=1.0)
    is_over.set()
    reader.join()
    # The first messages wait for the session to be opened; those of a running agent do not.
    return delays[options.latency_messages // 5 :]


@contextmanager
def _spool(folder: Path) -> Iterator[Spool]:
    """A spool in a folder of its own."""
    spool = Spool(SpoolSettings(directory=str(folder / f"spool-{next(_numbers)}")))
    try:
        yield spool
    finally:
        spool.close(within_s=10.0)


def _topic(broker: Broker) -> tuple[KafkaSettings, RawTopic]:
    prefix = f"bench-{next(_numbers)}"
    create_topics(broker.bootstrap, precede_topics(prefix=prefix, partitions=PARTITIONS))
    kafka = KafkaSettings(bootstrap=broker.bootstrap, topic_prefix=prefix, partitions=PARTITIONS)
    options = producer_options(kafka)
    return kafka, RawTopic(
        bootstrap=kafka.bootstrap, topic=kafka.topics.raw, client_options=options
    )


def _content(number: int) -> bytes:
    return (b"%d " % number).ljust(MESSAGE_BYTES, b"x")


def _measured(
    options: Options, turns: dict[str, list[Turn]], delays: dict[str, list[float]]
) -> Measured:
    figures: dict[str, float] = {}
    for name, done in turns.items():
        figures[f"{name}_messages_per_s"] = rounded(statistics.median(t.rate for t in done))
        figures[f"{name}_records"] = float(done[-1].records)
        for label, share in (("p50", 0.5), ("p99", 0.99)):
            figures[f"{name}_{label}_ms"] = rounded(quantile(delays[name], share))
    packed, single = figures["packed_messages_per_s"], figures["one_per_record_messages_per_s"]
    figures["ratio_packed_to_one_per_record"] = rounded(packed / single)
    figures["packing_adds_p50_ms"] = round(
        figures["packed_p50_ms"] - figures["one_per_record_p50_ms"], 2
    )
    return Measured(figures, {}, tuple(_faults(options, turns, delays)))


def _faults(
    options: Options, turns: dict[str, list[Turn]], delays: dict[str, list[float]]
) -> Iterator[str]:
    for name, done in turns.items():
        for turn in done:
            if turn.stored != turn.messages:
                yield f"{name} published {turn.stored} of {turn.messages} messages"
        wanted = options.latency_messages - options.latency_messages // 5
        if len(delays[name]) != wanted:
            yield f"{name} had {len(delays[name])} of {wanted} messages in the latency turn"


def quantile(values: list[float], share: float) -> float:
    """Give the value below which this share of them lies; 0 if there are none."""
    ranked = sorted(values) or [0.0]
    return ranked[min(len(ranked) - 1, int(len(ranked) * share))]
