"""Copies of the job's state, a file for each raw partition: where a follower begins.

A file has the bytes that Spark keeps for a shard at the end of some batch, after a digest of them.
They say by themselves of which partition they are and up to which offset. Any batch will do, and
partitions need not be of the same one: what follows is a function of the log from there on.

    partition-0.state     32 bytes SHA-256, then the state (`ordering_udfs.shard_state`)
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path

from sinks.errors import StateFileError

_DIGEST_BYTES = 32
_NAME = "partition-{}.state"


def write_states(directory: Path, states: Mapping[int, bytes]) -> None:
    """Write a file for each partition; one that is there already is replaced as a whole."""
    directory.mkdir(parents=True, exist_ok=True)
    for partition, state in states.items():
        file = directory / _NAME.format(partition)
        unfinished = file.with_suffix(".unfinished")
        with unfinished.open("wb") as opened:
            opened.write(sha256(state).digest() + state)
            opened.flush()
            os.fsync(opened.fileno())
        unfinished.replace(file)


def read_states(directory: Path) -> dict[int, bytes]:
    """Give the states by partition; `StateFileError` if a file is not what was written."""
    states: dict[int, bytes] = {}
    for file in sorted(directory.glob(_NAME.format("*"))):
        content = file.read_bytes()
        digest, state = content[:_DIGEST_BYTES], content[_DIGEST_BYTES:]
        number = file.stem.rpartition("-")[2]
        if sha256(state).digest() != digest or not number.isdecimal():
            raise StateFileError(
                f"{file} is damaged: export the state again, or begin without one (from the "
                "start of the log)"
            )
        states[int(number)] = state
    return states
