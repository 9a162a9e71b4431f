"""What packing gives and costs from end to end: spool, Kafka, job, ordered topic, reader.

    precede bench packing [--output json]

A broker and a Spark session of its own, both ways in turn, each with its own topics, agent's side
(spool and publisher) and job (both queries). *Latency*: at a modest rate, from the moment at which
a message is put into the spool to the moment at which a reader of the ordered topic has it. *Rate*:
a spool that is filled as fast as it takes messages, until the reader has the last of them.
`benchmarks/publish.py` measures the first half of the way alone.
"""

from __future__ import annotations

import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from benchmarks.figures import Measured, rounded
from benchmarks.publish import WAYS, quantile
from benchmarks.timing import Say
from deploy.local.broker import Broker
from deploy.local.topics import create_topics, precede_topics
from ingest.kafka_options import RawTopic
from ingest.publish_settings import PublishSettings
from ingest.publisher import Publisher
from ingest.spool.settings import SpoolSettings
from ingest.spool.spool import Spool
from ingest.wire.envelope import Envelope, Kind, decode, encode
from ordering.values import GroupId, MemberId, MessageId
from sinks.kafka_client import follow_topic, producer_options
from sinks.records import decode_ordered
from sinks.settings import KafkaSettings
from streaming.job import Job
from streaming.policy import group_policies
from streaming.settings import JobSettings

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

PARTITIONS: Final = 2
GROUPS: Final = 50
PAYLOAD_BYTES: Final = 120
SPEAKER: Final = MemberId("speaker#1")
WITHIN_S: Final = 180.0
_NANOSECONDS_PER_MILLISECOND: Final = 1_000_000
_TICK_S: Final = 0.005
_LOOK_EVERY_S: Final = 0.01


class Options(NamedTuple):
    """How much is measured; the defaults take about three minutes."""

    warm_up_messages: int = 40_000
    """so that the first batches, in which all is still cold, are over"""
    latency_rate: int = 1_000
    latency_messages: int = 12_000
    rate_messages: int = 200_000
    rounds: int = 2


class Turn(NamedTuple):
    """One way, once: the delays of its messages in ms, and how fast the rest went through."""

    delays: list[float]
    rate: float
    sent: int
    arrived: int


class Reader(threading.Thread):
    """Follows the ordered topic and notes when each message came."""

    def __init__(self, kafka: KafkaSettings) -> None:
        super().__init__(name="reader", daemon=True)
        self.delays: list[float] = []
        self._kafka = kafka
        self._is_over = threading.Event()

    def run(self) -> None:
        """Read until told to stop."""
        topic = self._kafka.topics.ordered
        is_over = self._is_over.is_set
        for records in follow_topic(self._kafka, topic, is_over=is_over, wait_seconds=0.02):
            now_ns = time.monotonic_ns()
            for record in records:
                payload = decode(decode_ordered(record.value).envelope).payload
                sent_ns = int(payload.split(b" ", 1)[0])
                self.delays.append((now_ns - sent_ns) / _NANOSECONDS_PER_MILLISECOND)

    def finish(self) -> None:
        """Stop reading."""
        self._is_over.set()
        self.join()


class Speaker:
    """Puts messages into a spool; in each group a message answers the one before it."""

    def __init__(self, spool: Spool) -> None:
        self.sent = 0
        self._spool = spool
        self._groups = [GroupId(f"group-{number}") for number in range(GROUPS)]

    def say(self, count: int, *, maybe_per_s: int | None = None) -> None:
        """Say so many, at a rate or as fast as the spool takes them."""
        started_s = time.monotonic()
        said = 0
        while said < count:
            due = count
            if maybe_per_s is not None:
                due = min(count, int((time.monotonic() - started_s) * maybe_per_s))
            while said < due:
                self._say_one()
                said += 1
            if said < count:
                time.sleep(_TICK_S)

    def _say_one(self) -> None:
        number, at = divmod(self.sent, GROUPS)
        seq, group = number + 1, self._groups[at]
        parents = (MessageId(SPEAKER, number),) if number else ()
        payload = (b"%d " % time.monotonic_ns()).ljust(PAYLOAD_BYTES, b"x")
        content = encode(Envelope(Kind.MESSAGE, group, SPEAKER, seq, parents, payload))
        self._spool.append(seq, group.encode("utf-8"), content)
        self.sent += 1


def measure(options: Options | None = None, *, say: Say = lambda _: None) -> Measured:
    """Measure both ways, in turn, on a broker and a Spark session of its own."""
    from console.local_jars import jars_for
    from streaming.session import open_session

    chosen = options or Options()
    turns: dict[str, list[Turn]] = {name: [] for name in WAYS}
    with tempfile.TemporaryDirectory() as folder, Broker(Path(folder) / "broker") as broker:
        say("starting Spark")
        settings = JobSettings(scratch_directory=str(Path(folder) / "spark"))
        session = open_session(settings, jars=jars_for(settings.spark_master))
        try:
            for number in range(1, chosen.rounds + 1):
                for name, way in WAYS.items():
                    say(f"{name}, round {number} of {chosen.rounds}")
                    place = Path(folder) / f"{name}-{number}"
                    turns[name].append(take_turn(session, broker, way, chosen, place))
        finally:
            session.stop()
    return measured_of(turns)


def take_turn(
    session: SparkSession, broker: Broker, way: PublishSettings, options: Options, place: Path
) -> Turn:
    """Run everything for one way, on topics of its own."""
    prefix = place.name.replace("_", "-")
    create_topics(broker.bootstrap, precede_topics(prefix=prefix, partitions=PARTITIONS))
    kafka = KafkaSettings(bootstrap=broker.bootstrap, topic_prefix=prefix, partitions=PARTITIONS)
    reader = Reader(kafka)
    with _ordering(session, kafka, place), _publishing(kafka, way, place) as spool:
        reader.start()
        speaker = Speaker(spool)
        speaker.say(options.warm_up_messages)
        _wait_for(reader, speaker.sent)
        speaker.say(options.latency_messages, maybe_per_s=options.latency_rate)
        _wait_for(reader, speaker.sent)
        delays = reader.delays[options.warm_up_messages : speaker.sent]
        started_s = time.monotonic()
        speaker.say(options.rate_messages)
        _wait_for(reader, speaker.sent)
        rate = options.rate_messages / (time.monotonic() - started_s)
    reader.finish()
    return Turn(delays, rate, speaker.sent, len(reader.delays))


def measured_of(turns: dict[str, list[Turn]]) -> Measured:
    """Give the best rate and the median of the delays of all rounds; a lost message is a fault."""
    figures: dict[str, float] = {}
    faults: list[str] = []
    for name, done in turns.items():
        delays = [delay for turn in done for delay in turn.delays]
        figures[f"{name}_end_to_end_messages_per_s"] = rounded(max(turn.rate for turn in done))
        for label, share in (("p50", 0.5), ("p99", 0.99)):
            figures[f"{name}_end_to_end_{label}_ms"] = rounded(quantile(delays, share))
        faults += [
            f"{name}: {turn.arrived} of {turn.sent} messages were delivered"
            for turn in done
            if turn.arrived != turn.sent
        ]
    packed, single = (
        figures[f"{name}_end_to_end_messages_per_s"] for name in ("packed", "one_per_record")
    )
    figures["ratio_packed_to_one_per_record_end_to_end"] = rounded(packed / single)
    figures["packing_adds_end_to_end_p50_ms"] = round(
        figures["packed_end_to_end_p50_ms"] - figures["one_per_record_end_to_end_p50_ms"], 1
    )
    return Measured(figures, {}, tuple(faults))


@contextmanager
def _ordering(session: SparkSession, kafka: KafkaSettings, place: Path) -> Iterator[None]:
    """Run the job beside us, both queries; what ends it is raised."""
    settings = JobSettings(
        checkpoint_directory=str(place / "checkpoint"), tables_directory=str(place / "tables")
    )
    job = Job(session, kafka=kafka, settings=settings, policies=group_policies(settings))
    is_stopping, is_ready = threading.Event(), threading.Event()
    failures: list[Exception] = []

    def run() -> None:
        try:
            job.run(is_stopping=is_stopping.is_set, on_ready=is_ready.set)
        except Exception as error:
            failures.append(error)
            is_ready.set()

    thread = threading.Thread(target=run, name="job", daemon=True)
    thread.start()
    is_ready.wait(WITHIN_S)
    try:
        yield
    finally:
        is_stopping.set()
        thread.join()
    if failures:
        raise failures[0]


@contextmanager
def _publishing(kafka: KafkaSettings, way: PublishSettings, place: Path) -> Iterator[Spool]:
    """An agent's spool and publisher."""
    spool = Spool(SpoolSettings(directory=str(place / "spool")))
    raw = RawTopic(
        bootstrap=kafka.bootstrap, topic=kafka.topics.raw, client_options=producer_options(kafka)
    )
    publisher = Publisher(spool, raw, way, away_after_s=WITHIN_S)
    publisher.start()
    try:
        yield spool
    finally:
        publisher.close(within_s=WITHIN_S)
        spool.close(within_s=WITHIN_S)


def _wait_for(reader: Reader, count: int) -> None:
    """Wait until the reader has so many; a bound ends a run that never gets there."""
    deadline_s = time.monotonic() + WITHIN_S
    while len(reader.delays) < count and time.monotonic() < deadline_s:
        time.sleep(_LOOK_EVERY_S)
