"""A disk that is really full: a small file system in memory, where we may mount one."""

import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from ingest.spool.dropped import read_notice
from ingest.spool.record import EntryKind
from ingest.spool.settings import SpoolSettings, WhenFull
from ingest.spool.spool import Spool
from tests.ingest.loopback import wait_until
from tests.ingest.told import Told

MESSAGES = 60_000
PATIENCE_S = 60.0


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    mount = ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(tmp_path)]
    try:
        subprocess.run(mount, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("mounting a small file system needs rights that this user does not have")
    yield tmp_path
    subprocess.run(["umount", "-l", str(tmp_path)], check=True)


class Sender:
    """Takes everything from a spool, as Kafka would, and counts it."""

    def __init__(self, spool: Spool) -> None:
        self.messages: list[int] = []
        self.lost = 0
        self._spool = spool

    def take_all(self, appending: threading.Thread) -> None:
        after = self._spool.cursor
        while appending.is_alive() or self._spool.waiting:
            for entry in self._spool.read(after, wait_s=0.1):
                after = entry.sequence
                if entry.kind is EntryKind.MESSAGE:
                    self.messages.append(entry.captured_at)
                else:
                    maybe_notice = read_notice(entry.data)
                    assert maybe_notice is not None
                    self.lost += maybe_notice.messages
            self._spool.release(after)


@pytest.mark.parametrize("when_full", list(WhenFull))
def test_a_full_disk_costs_nothing_or_exactly_what_is_told(
    when_full: WhenFull, small_disk: Path
) -> None:
    told = Told()
    settings = SpoolSettings(
        directory=str(small_disk / "spool"), when_full=when_full, sync_every_ms=1
    )
    spool = Spool(settings, tell=told)

    def append() -> None:
        for number in range(MESSAGES):
            spool.append(number, b"group-%d" % (number % 3), b"x" * 200)

    appending = threading.Thread(target=append, daemon=True)
    appending.start()
    wait_until(lambda: spool.disk_failures > 0 and spool.blocked > 0)
    if when_full is WhenFull.DROP_OLDEST:
        # Before the sender makes room: memory is full, so that the next try gives something up.
        wait_until(lambda: spool.dropped > 0)
    sender = Sender(spool)
    sender.take_all(appending)
    assert sender.messages == sorted(sender.messages)
    assert len(sender.messages) + spool.dropped == MESSAGES
    assert sender.lost == spool.dropped
    assert (spool.dropped > 0) == (when_full is WhenFull.DROP_OLDEST)
    assert spool.missing == 0
    assert told.names[0] == "spool_disk"
    assert "No space left" in told.sentences[0]
    spool.close(within_s=PATIENCE_S)
