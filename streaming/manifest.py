"""What a checkpoint was made for, written beside Spark's own files and checked at every start.

Spark cannot tell that the raw topic has another number of partitions than when the state was made;
it would send groups to other shards and order them wrongly. The manifest can.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from streaming.errors import CheckpointError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

FILE_NAME = "precede.json"
FORMAT_VERSION = 1


class Manifest(NamedTuple):
    """The facts that a checkpoint depends on."""

    format_version: int
    raw_topic: str
    partitions: int
    tasks: int


def new_manifest(*, raw_topic: str, partitions: int, tasks: int) -> Manifest:
    """What a first start writes, and every later one must find."""
    return Manifest(FORMAT_VERSION, raw_topic, partitions, tasks)


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
    if version != FORMAT_VERSION:
        raise CheckpointError(
            f"the checkpoint has format {version}, this release reads format {FORMAT_VERSION}: run "
            "the release that wrote it, or start with a new job.checkpoint_directory"
        )
    try:
        return Manifest(**fields)
    except TypeError as error:
        raise CheckpointError(f"{FILE_NAME} in the checkpoint is damaged: {error}") from error


def check_manifest(saved: Manifest, wanted: Manifest) -> None:
    """Refuse to go on when the configuration is not the one that the checkpoint was made for."""
    for name in ("raw_topic", "partitions", "tasks"):
        was, now = getattr(saved, name), getattr(wanted, name)
        if was != now:
            raise CheckpointError(
                f"the checkpoint was made with {name} = {was}, the configuration says {now}: "
                f"set it back to {was}, or start with a new job.checkpoint_directory and new "
                "tables and replay the log"
            )


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
        return
    part = jvm.org.apache.hadoop.fs.Path(directory, f".{FILE_NAME}.part")
    stream = file_system.create(part, True)
    try:
        stream.write(bytearray(json.dumps(wanted._asdict(), indent=2).encode()))
    finally:
        stream.close()
    if not file_system.rename(part, path):
        raise CheckpointError(f"cannot write {FILE_NAME} into {directory}: is it writable?")
