"""One job for a checkpoint at a time, as far as this machine can tell.

Two jobs with one checkpoint would write the same records twice and fight for the tables. Spark
notices late and in words of its own; a lock on a file beside the checkpoint says so at the start.
It goes with the process, however that ends. A checkpoint on another file system than this machine's
has no lock: there the operator must know.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from streaming.errors import CheckpointError

FILE_NAME = "precede.lock"
_LOCAL = "file:"


@contextmanager
def checkpoint_lock(directory: str) -> Iterator[None]:
    """Hold the checkpoint; `CheckpointError` if another process has it."""
    maybe_folder = local_folder(directory)
    if maybe_folder is None:
        yield
        return
    maybe_folder.mkdir(parents=True, exist_ok=True)
    with (maybe_folder / FILE_NAME).open("a+") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.seek(0)
            holder = file.read().strip() or "unknown"
            raise CheckpointError(
                f"another job works with the checkpoint in {directory} (process {holder}): stop it "
                "first, or use another job.checkpoint_directory"
            ) from None
        file.truncate(0)
        file.write(str(os.getpid()))
        file.flush()
        yield


def local_folder(directory: str) -> Path | None:
    """The folder of this machine that a path or URI names; None if it is elsewhere."""
    if directory.startswith(_LOCAL):
        return Path("/" + directory.removeprefix(_LOCAL).lstrip("/"))
    return None if "://" in directory else Path(directory)
