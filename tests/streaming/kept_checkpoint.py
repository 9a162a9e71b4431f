"""A job that was stopped by an earlier release: its checkpoint, its tables and its topics, kept.

`tests/data/checkpoints/RELEASE.tar.gz` has the folders `checkpoint` and `tables` as that release
left them, and `topics.jsonl` with every record of every topic. Offsets stand in the checkpoint, so
the records are loaded in their order, into topics of the same names.

    python -m tests.streaming.kept_checkpoint RELEASE      keeps what the code of today leaves

The log ends in the middle of a conversation: messages are held, some were told as waiting, one
group has another policy than the rest.
"""

from __future__ import annotations

import base64
import json
import random
import sys
import tarfile
import tempfile
from pathlib import Path

from confluent_kafka import Producer

from deploy.local.broker import Broker
from deploy.local.topics import create_topics, precede_topics
from ingest.wire.envelope import Kind, decode, encode
from ordering_udfs.control import write_policy_change
from sinks.kafka_client import producer_options, read_topic
from sinks.settings import KafkaSettings
from streaming.settings import JobSettings
from tests.conversations import shuffled_conversation
from tests.topic_tools import produce, produce_ticks

FOLDER = Path(__file__).parents[1] / "data" / "checkpoints"
TOPICS_FILE = "topics.jsonl"
PARTITIONS = 2
FAR_AHEAD = 2**51
CUT_AT = 400


def kept_releases() -> list[str]:
    """Every release of which a checkpoint is kept."""
    return sorted(path.name.removesuffix(".tar.gz") for path in FOLDER.glob("*.tar.gz"))


def kept_topics(bootstrap: str, release: str) -> KafkaSettings:
    """The settings with which the kept job ran, at another broker."""
    return KafkaSettings(bootstrap=bootstrap, topic_prefix=f"kept-{release}", partitions=PARTITIONS)


def kept_settings(directory: Path) -> JobSettings:
    """The same for the job's own."""
    return JobSettings(
        checkpoint_directory=str(directory / "checkpoint"),
        tables_directory=str(directory / "tables"),
        max_messages_per_batch=150,
        groups=("group-1=fifo",),
    )


def conversation() -> tuple[list[bytes], list[bytes]]:
    """The log before the stop and after it; a part of what came before is answered only after."""
    log = shuffled_conversation(seed=2026, groups=4, messages=600, jitter=120)
    dice = random.Random(1)
    late = [value for value in log[:CUT_AT] if dice.random() < 0.05]
    early = [value for value in log[:CUT_AT] if value not in late]
    change = decode(next(one for one in log if b"group-2" in one))
    text = write_policy_change("semantic+fifo")
    early.insert(50, encode(change._replace(kind=Kind.CONTROL, payload=text)))
    return early, late + log[CUT_AT:]


def load(release: str, *, bootstrap: str, directory: Path) -> KafkaSettings:
    """Put a kept job back: its folders into `directory`, its records into fresh topics."""
    with tarfile.open(FOLDER / f"{release}.tar.gz") as archive:
        archive.extractall(directory, filter="data")
    kafka = kept_topics(bootstrap, release)
    specs = precede_topics(prefix=kafka.topic_prefix, partitions=PARTITIONS)
    create_topics(bootstrap, specs)
    producer = Producer(producer_options(kafka))
    for line in (directory / TOPICS_FILE).read_text().splitlines():
        topic, partition, key, value = json.loads(line)
        producer.produce(
            f"{kafka.topic_prefix}.{topic}",
            key=base64.b64decode(key),
            value=base64.b64decode(value),
            partition=partition,
        )
        producer.poll(0)
    assert producer.flush(30) == 0
    return kafka


def keep(release: str) -> None:
    """Run the job of today over the first half of the log, and keep what it leaves."""
    from console.local_jars import jars_for
    from streaming.job import Job
    from streaming.policy import group_policies
    from streaming.session import open_session

    with tempfile.TemporaryDirectory() as place, Broker() as broker:
        directory = Path(place)
        kafka = kept_topics(broker.bootstrap, release)
        specs = precede_topics(prefix=kafka.topic_prefix, partitions=PARTITIONS)
        create_topics(broker.bootstrap, specs)
        settings = kept_settings(directory)
        session = open_session(settings, jars=jars_for(settings.spark_master))
        early, _ = conversation()
        produce(kafka, early[:200])
        produce_ticks(kafka, at=FAR_AHEAD)
        produce(kafka, early[200:])
        Job(session, kafka=kafka, settings=settings, policies=group_policies(settings)).drain()
        session.stop()
        _save_topics(kafka, directory / TOPICS_FILE)
        FOLDER.mkdir(parents=True, exist_ok=True)
        with tarfile.open(FOLDER / f"{release}.tar.gz", "w:gz") as archive:
            for name in ("checkpoint", "tables", TOPICS_FILE):
                archive.add(directory / name, name, filter=_without_names)


def _save_topics(kafka: KafkaSettings, file: Path) -> None:
    with file.open("w") as lines:
        for topic in kafka.topics:
            for record in read_topic(kafka, topic):
                word = topic.removeprefix(f"{kafka.topic_prefix}.")
                key, value = (base64.b64encode(part).decode() for part in record[2:4])
                lines.write(json.dumps([word, record.partition, key, value]) + "\n")


def _without_names(entry: tarfile.TarInfo) -> tarfile.TarInfo:
    """Leave out who made it and when."""
    entry.uid = entry.gid = entry.mtime = 0
    entry.uname = entry.gname = ""
    return entry


if __name__ == "__main__":
    keep(sys.argv[1])
