"""What a checkpoint was made for, written beside Spark's own files and checked at every start.

Spark cannot tell that a raw topic has another number of partitions than when the state was made; it
would send groups to other shards and order them wrongly. The manifest can.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from streaming.errors import CheckpointError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

FILE_NAME = "precede.json"
FORMAT_VERSION = 3
READABLE_VERSIONS = (2, 3)
ONE_TOPIC_VERSION = 2


class Manifest(NamedTuple):
    """The facts that a checkpoint depends on."""

    format_version: int
    raw_topics: dict[str, int]
    """the partitions of each raw topic, in the order in which shards are counted"""
    tasks: int
    policies: str
    """how groups are ordered: another order of the same log would contradict what was delivered"""


def new_manifest(*, raw_topics: dict[str, int], tasks: int, policies: str) -> Manifest:
    """What a first start writes, and every later one must find."""
    return Manifest(FORMAT_VERSION, raw_topics, tasks, policies)


def parse_manifest(text: str) -> Manifest:
    """Read a manifest; raises `CheckpointError` when it is damaged or of another format."""
    try:
        fields: dict[str, Any] = json.loads(text)
        version = fields["format_version"]
    except (ValueError, KeyError, TypeError) as error:
        raise CheckpointError(
            f"{FILE_NAME} in the checkpoint is damaged ({error}): restore it from a copy, or start "
            "with a new job.checkpoint_directory and new tables"
        ) from error
    if version not in READABLE_VERSIONS:
        raise CheckpointError(
            f"the checkpoint has format {version}, this release reads "
            f"{' and '.join(map(str, READABLE_VERSIONS))}: run the release that wrote it, or start "
            "with a new job.checkpoint_directory"
        )
    try:
        if version == ONE_TOPIC_VERSION:
            fields["raw_topics"] = {fields.pop("raw_topic"): fields.pop("partitions")}
        return Manifest(**fields | {"format_version": FORMAT_VERSION})
    except (TypeError, KeyError) as error:
        raise CheckpointError(f"{FILE_NAME} in the checkpoint is damaged: {error}") from error


def check_manifest(saved: Manifest, wanted: Manifest) -> None:
    """Refuse to go on when the configuration is not the one that the checkpoint was made for.

    Raw topics may be added after the others: the shards that there are keep their numbers.
    """
    shared = dict(list(wanted.raw_topics.items())[: len(saved.raw_topics)])
    is_longer = list(shared.items()) == list(saved.raw_topics.items())
    for name in ("raw_topics", "tasks", "policies"):
        was, now = getattr(saved, name), getattr(wanted, name)
        if was != now and not (name == "raw_topics" and is_longer):
            raise CheckpointError(
                f"the checkpoint was made with {name} = {_text(was)}, the configuration says "
                f"{_text(now)}: set it back to {_text(was)}, or start with a new "
                "job.checkpoint_directory and new tables and replay the log"
            )


def _text(value: Any) -> str:
    """A value as people write it in the configuration."""
    if not isinstance(value, dict):
        return str(value)
    return ", ".join(f"{topic}={partitions}" for topic, partitions in value.items())


def open_manifest(session: SparkSession, directory: str, wanted: Manifest) -> None:
    """Check the manifest of the checkpoint in `directory`; write it if this is the first start."""
    # Hadoop's file systems, because a checkpoint may live on any of them.
    jvm: Any = session._jvm
    path = jvm.org.apache.hadoop.fs.Path(directory, FILE_NAME)
    file_system = path.getFileSystem(session._jsc.hadoopConfiguration())
    if file_system.exists(path):
        stream = file_system.open(path)
        try:
            saved = parse_manifest(bytes(stream.readAllBytes()).decode())
        finally:
            stream.close()
        check_manifest(saved, wanted)
        if saved == wanted:
            return
        file_system.delete(path, False)
    part = jvm.org.apache.hadoop.fs.Path(directory, f".{FILE_NAME}.part")
    stream = file_system.create(part, True)
    try:
        stream.write(bytearray(json.dumps(wanted._asdict(), indent=2).encode()))
    finally:
        stream.close()
    if not file_system.rename(part, path):
        raise CheckpointError(f"cannot write {FILE_NAME} into {directory}: is it writable?")
