"""How long others wait on the real job while a sender does its worst, and the memory that it takes.

    alone                        nobody else
    while_a_chain_builds_up      100,000 messages come, each of which waits for the next
    beside_the_held_chain        they wait
    while_it_is_freed            the one that all wait for comes
    while_a_million_groups_come  a million groups begin, all in one batch
    beside_a_million_groups      they are silent

A steady sender has one group in the chain's own partition and one in the other. Each of its
messages carries when it was sent; how long it took is told by the broker's time of its record in
the ordered topic, so that a reader that is behind changes nothing.
"""

from __future__ import annotations

import threading
import time
from collections import defaultdict
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from confluent_kafka import Producer

from deploy.local.broker import Broker
from ingest.wire.envelope import decode
from ingest.wire.partition import partition_of
from ordering.values import GroupId
from sinks.kafka_client import TopicRecord, producer_options
from sinks.records import decode_ordered
from sinks.settings import KafkaSettings
from streaming.settings import JobSettings
from tests.end_to_end.driver import Driver, Life
from tests.end_to_end.heavy_weather import CHAIN, GROUPS, chain, message
from tests.end_to_end.matrix import Part, wait_until
from tests.end_to_end.memory import peak_megabytes
from tests.end_to_end.readers import TopicReader
from tests.topic_tools import new_topics, produce, produce_packed

PHASE_SECONDS = 12.0
PAUSE_SECONDS = 0.02
ENTRIES = 500
"""A bundle of the crowd's messages, as an agent packs them."""


class Stopwatch(TopicReader):
    """Follows the ordered topic; keeps for each phase how long the steady messages took."""

    def __init__(self, kafka: KafkaSettings) -> None:
        super().__init__(kafka, kafka.topics.ordered)
        self.phase = "start"
        self.taken_ms: dict[str, list[float]] = defaultdict(list)
        self.steady = 0
        self.freed = 0
        self.crowd = 0

    def _take(self, record: TopicRecord) -> None:
        if record.key == b"chain":
            self.freed += 1
        elif not record.key.startswith(b"steady"):
            self.crowd += 1
        else:
            payload = decode(decode_ordered(record.value).envelope).payload
            self.steady += 1
            phase, _, sent_at = payload.partition(b" ")
            self.taken_ms[phase.decode()].append((record.written_at - int(sent_at)) / 1e3)


class SteadySender(threading.Thread):
    """Two small messages, fifty times a second."""

    def __init__(self, kafka: KafkaSettings, watch: Stopwatch) -> None:
        super().__init__(daemon=True)
        self._kafka = kafka
        self._watch = watch
        self.sent = 0
        self.is_over = threading.Event()
        self.is_silent = threading.Event()

    def run(self) -> None:
        producer = Producer(producer_options(self._kafka))
        partitions = self._kafka.partitions
        home = partition_of(GroupId("chain"), partitions)
        names = [f"steady-{number}" for number in range(100)]
        near = next(name for name in names if partition_of(GroupId(name), partitions) == home)
        far = next(name for name in names if partition_of(GroupId(name), partitions) != home)
        seq = 0
        while not self.is_over.wait(PAUSE_SECONDS):
            if self.is_silent.is_set():
                continue
            seq += 1
            for group in (near, far):
                payload = f"{self._watch.phase} {time.time_ns() // 1_000}".encode()
                value = message(group, 1, seq, payload=payload)
                producer.produce(self._kafka.topics.raw, value=value, key=group.encode())
                self.sent += 1
            producer.poll(0)
        producer.flush(30)


def measure(directory: Path, *, groups: int = GROUPS) -> dict[str, Any]:
    """Run it; give median and worst of each phase in milliseconds, and the peaks of memory."""
    with ExitStack() as running:
        broker = running.enter_context(Broker())
        kafka = new_topics(broker.bootstrap)
        driver = Driver(kafka, directory, life=Life.LONG)
        job = Part(lambda: driver.start(most_messages=JobSettings().max_messages_per_batch))
        running.callback(lambda: job.child.stop(grace_seconds=60))
        watch = running.enter_context(Stopwatch(kafka))
        sender = SteadySender(kafka, watch)
        sender.start()
        running.callback(sender.join)
        running.callback(sender.is_over.set)

        def phase(name: str, begin: Callable[[], None] = lambda: None) -> None:
            """Let it last, and wait until all that was sent meanwhile has come."""
            watch.phase = name
            begin()
            time.sleep(PHASE_SECONDS)
            wanted = sender.sent
            wait_until(lambda: watch.steady >= wanted, job)

        *waiting, first = chain(CHAIN)
        phase("start")  # the JVM is cold
        phase("alone")
        phase("while_a_chain_builds_up", lambda: produce(kafka, waiting))
        phase("beside_the_held_chain")
        phase("while_it_is_freed", lambda: produce(kafka, [first]))
        wait_until(lambda: watch.freed >= CHAIN, job)
        memory = {"with_the_chain": peak_megabytes(job.child.pid)}
        sender.is_silent.set()
        wait_until(lambda: watch.steady >= sender.sent, job)
        job.child.pause()  # so that all of them are in one batch
        crowd = (message(f"group-{number}", 1, 1) for number in range(groups))
        produce_packed(kafka, crowd, entries=ENTRIES)
        sender.is_silent.clear()
        phase("while_a_million_groups_come", job.child.resume)
        wait_until(lambda: watch.crowd >= groups, job)
        phase("beside_a_million_groups")
        memory["with_a_million_groups"] = peak_megabytes(job.child.pid)
    figures: dict[str, Any] = {"chain": CHAIN, "freed": watch.freed, "groups": watch.crowd}
    for name, taken in watch.taken_ms.items():
        figures[f"{name}_median_ms"] = round(sorted(taken)[len(taken) // 2])
        figures[f"{name}_worst_ms"] = round(max(taken))
    return figures | {"peak_megabytes": memory}
