"""The laws of the writer, on a disk that refuses when it is told to."""

import errno
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from ingest.spool.backlog import Backlog
from ingest.spool.dropped import read_notice
from ingest.spool.record import Entry, EntryKind
from ingest.spool.settings import SpoolSettings, WhenFull
from ingest.spool.store import Store
from ingest.spool.writer import SpoolWriter
from tests.ingest.loopback import wait_until
from tests.ingest.spool_entries import on_disk
from tests.ingest.told import Told

FULL = OSError(errno.ENOSPC, "No space left on device")


class FailingStore(Store):
    """A store whose disk refuses while it is told to."""

    maybe_write_error: OSError | None = None
    maybe_sync_error: OSError | None = None

    def write(self, entries: Sequence[Entry]) -> None:
        if self.maybe_write_error is not None:
            # As a disk that is full: some of it is there.
            super().write(entries[: len(entries) // 2 or 1])
            raise self.maybe_write_error
        super().write(entries)

    def sync(self) -> None:
        if self.maybe_sync_error is not None:
            raise self.maybe_sync_error
        super().sync()


class Bench:
    """A writer with all that it needs, and what it told."""

    def __init__(self, directory: Path, settings: SpoolSettings) -> None:
        self.told = Told()
        self.cursor = 0
        self.store = FailingStore(directory, segment_bytes=1_000)
        self.backlog = Backlog(
            last=0, is_durable_before_read=not settings.sync_every_ms, pending_bytes=2_000
        )
        self.writer = SpoolWriter(
            self.backlog, self.store, settings,
            agent="edge", cursor=lambda: self.cursor, tell=self.told,
        )  # fmt: skip

    def append(self, count: int) -> None:
        for _ in range(count):
            number = self.backlog.last + 1
            self.backlog.append(number, b"dev", (b"message %d" % number).ljust(65))


@contextmanager
def writing(
    directory: Path, *, when_full: WhenFull = WhenFull.BLOCK, maximum: int = 10**9, sync_ms: int = 1
) -> Iterator[Bench]:
    settings = SpoolSettings(
        directory=str(directory), when_full=when_full, maximum_bytes=maximum, sync_every_ms=sync_ms
    )
    bench = Bench(directory, settings)
    bench.writer.start()
    yield bench
    bench.writer.close(within_s=5.0)
    bench.store.close()


def _numbers(directory: Path) -> list[int]:
    return [entry.sequence for entry in on_disk(directory)]


@pytest.mark.parametrize("sync_ms", [0, 1, 60_000])
def test_everything_accepted_is_on_the_disk_at_the_end_in_order(
    sync_ms: int, tmp_path: Path
) -> None:
    with writing(tmp_path, sync_ms=sync_ms) as bench:
        bench.append(200)
    assert _numbers(tmp_path) == list(range(1, 201))
    assert bench.backlog.durable == 200


def test_a_disk_that_is_full_for_a_while_costs_nothing(tmp_path: Path) -> None:
    with writing(tmp_path) as bench:
        bench.append(5)
        wait_until(lambda: bench.backlog.durable == 5)
        bench.store.maybe_write_error = FULL
        bench.append(10)
        wait_until(lambda: bench.writer.failures > 1)
        assert bench.writer.maybe_trouble == "No space left on device"
        assert bench.backlog.durable == 5
        bench.store.maybe_write_error = None
        wait_until(lambda: bench.backlog.durable == 15)
        wait_until(lambda: bench.writer.maybe_trouble is None)
    assert _numbers(tmp_path) == list(range(1, 16))
    assert bench.told.names == ["spool_disk", "spool_disk_back"]


def test_what_a_failed_sync_leaves_in_doubt_is_written_again(tmp_path: Path) -> None:
    with writing(tmp_path) as bench:
        bench.store.maybe_sync_error = OSError(errno.EIO, "Input/output error")
        bench.append(5)
        wait_until(lambda: bench.writer.failures > 1)
        assert bench.backlog.durable == 0
        bench.store.maybe_sync_error = None
        wait_until(lambda: bench.backlog.durable == 5)
    assert _numbers(tmp_path) == [1, 2, 3, 4, 5]


def test_what_kafka_has_needs_no_disk_any_more(tmp_path: Path) -> None:
    with writing(tmp_path) as bench:
        bench.store.maybe_write_error = FULL
        bench.append(20)
        wait_until(lambda: bench.backlog.is_full)
        bench.cursor = 15
        bench.backlog.release(15)
        bench.append(3)
        bench.store.maybe_write_error = None
    assert _numbers(tmp_path) == list(range(16, 24))


def test_a_full_spool_that_blocks_keeps_everything_and_syncs_what_it_has(tmp_path: Path) -> None:
    with writing(tmp_path, maximum=5_000) as bench:
        appending = threading.Thread(target=bench.append, args=(100,))
        appending.start()
        wait_until(lambda: bench.backlog.blocked > 0)
        wait_until(lambda: bench.backlog.durable > 0)
        assert bench.store.total_bytes <= 5_000
        while appending.is_alive():
            bench.cursor = max(bench.cursor, bench.backlog.durable)
            bench.store.release(bench.cursor)
            appending.join(0.005)
    assert bench.backlog.last == 100
    assert bench.writer.dropped == 0
    assert set(range(bench.cursor + 1, 101)) <= set(_numbers(tmp_path))


def test_a_full_spool_that_drops_tells_each_group_what_it_lost(tmp_path: Path) -> None:
    with writing(tmp_path, maximum=6_000, when_full=WhenFull.DROP_OLDEST) as bench:
        bench.append(300)
    kept = on_disk(tmp_path)
    messages = [entry for entry in kept if entry.kind is EntryKind.MESSAGE]
    notices = [read_notice(entry.data) for entry in kept if entry not in messages]
    assert bench.writer.dropped > 0
    assert len(messages) + bench.writer.dropped == 300
    told = sum(notice.messages for notice in notices if notice is not None)
    assert told == bench.writer.dropped
    assert "spool_dropped" in bench.told.names
    assert messages[-1].data.strip() == b"message %d" % messages[-1].captured_at


def test_on_a_full_disk_with_nothing_to_remove_memory_makes_room_and_says_so(
    tmp_path: Path,
) -> None:
    with writing(tmp_path, when_full=WhenFull.DROP_OLDEST) as bench:
        bench.store.maybe_write_error = FULL
        bench.append(200)
        bench.store.maybe_write_error = None
    kept = on_disk(tmp_path)
    messages = sum(entry.kind is EntryKind.MESSAGE for entry in kept)
    assert bench.writer.dropped > 0
    assert messages + bench.writer.dropped == 200


def test_an_end_on_a_disk_that_refuses_comes_nevertheless(tmp_path: Path) -> None:
    settings = SpoolSettings(directory=str(tmp_path), sync_every_ms=1)
    bench = Bench(tmp_path, settings)
    bench.writer.start()
    bench.store.maybe_write_error = FULL
    bench.append(3)
    bench.writer.close(within_s=0.1)
    assert _numbers(tmp_path) == []


def test_a_fault_of_ours_is_kept_for_the_agent_to_raise(tmp_path: Path) -> None:
    bench = Bench(tmp_path, SpoolSettings(directory=str(tmp_path), sync_every_ms=1))
    bench.store.maybe_write_error = ZeroDivisionError()  # type: ignore[assignment] # no OSError
    bench.writer.start()
    bench.append(1)
    wait_until(lambda: isinstance(bench.writer.maybe_failure, ZeroDivisionError))
    bench.writer.close(within_s=0.1)
