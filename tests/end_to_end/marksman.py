"""Kill process groups the moment that a file begins to exist.

In a process of its own, because a step of Spark may be over within a millisecond. In the process of
the readers a kill would wait for their threads, and on a busy machine for everybody else; where the
system allows it, the marksman therefore comes before all others for the moment that it needs.
"""

from __future__ import annotations

import contextlib
import os
import re
import signal
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from deploy.local.child import Child
from tests.end_to_end.folder_watch import FolderWatch

LOOK_EVERY_SECONDS = 0.05
# When a target has ended, the marksman's own end tells within this time whether it was the cause.
LAST_WORDS_SECONDS = 2.0


def shoot(
    folder: Path, name: str, passing: int, targets: Sequence[Child], *, within_seconds: float
) -> Path | None:
    """Kill all targets and give the file that told; None if one ended before, or none came.

    The file is the `passing`-th one in the folder, or in a folder of it, whose name fits.
    """
    command = [sys.executable, "-m", __name__, str(folder), name, str(passing)]
    command += [str(target.pid) for target in targets]
    log_file = targets[0].log_file.with_name("marksman.log")
    deadline = time.monotonic() + within_seconds
    with Child(command, name="marksman", log_file=log_file) as marksman:
        while time.monotonic() < deadline and all(target.is_running for target in targets):
            if marksman.wait(within_seconds=LOOK_EVERY_SECONDS) is not None:
                break
        if marksman.wait(within_seconds=LAST_WORDS_SECONDS) == 0:
            return Path(marksman.last_lines(1)[0])
    return None


def main(folder: str, pattern: str, passing: str, *groups: str) -> int:
    """Wait, kill, tell. Whoever started it ends it if the file never comes."""
    name = re.compile(pattern)
    leaders = [int(group) for group in groups]
    with contextlib.suppress(OSError):
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
    path = _wait(Path(folder), name, int(passing), leaders)
    print(path)
    return 0


def _wait(folder: Path, name: re.Pattern[str], passing: int, groups: list[int]) -> Path:
    watch = FolderWatch()
    while True:
        for watched in (folder, *(path for path in folder.glob("*") if path.is_dir())):
            watch.add(watched)
        for path in watch.wait(within_seconds=LOOK_EVERY_SECONDS):
            if not name.fullmatch(path.name):
                continue
            passing -= 1
            if not passing:
                for group in groups:
                    with contextlib.suppress(ProcessLookupError):
                        os.killpg(group, signal.SIGKILL)
                return path


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
