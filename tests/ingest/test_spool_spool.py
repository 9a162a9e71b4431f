import os
from pathlib import Path

import pytest

from ingest.errors import SpoolClosedError, SpoolInUseError
from ingest.spool.cursor import read_cursor
from ingest.spool.record import Entry
from ingest.spool.settings import SpoolSettings
from ingest.spool.spool import Spool
from tests.ingest.loopback import wait_until
from tests.ingest.spool_entries import segment_paths
from tests.ingest.told import Told

PATIENCE_S = 60.0


def _settings(directory: Path, *, sync_ms: int = 1) -> SpoolSettings:
    return SpoolSettings(directory=str(directory), sync_every_ms=sync_ms)


def _fill(spool: Spool, count: int, *, size: int = 10) -> list[bytes]:
    sent = [b"%09d " % (spool.last + n) + b"x" * size for n in range(1, count + 1)]
    for data in sent:
        spool.append(1, b"dev", data)
    return sent


def _read_all(spool: Spool, *, after: int, count: int) -> list[Entry]:
    found: list[Entry] = []
    while len(found) < count:
        found += spool.read(found[-1].sequence if found else after, wait_s=PATIENCE_S)
    return found


@pytest.mark.parametrize("sync_ms", [0, 1])
def test_what_goes_in_comes_out_in_order_and_is_gone_when_it_is_released(
    sync_ms: int, tmp_path: Path
) -> None:
    spool = Spool(_settings(tmp_path, sync_ms=sync_ms))
    sent = _fill(spool, 2_000)
    found = _read_all(spool, after=0, count=2_000)
    assert [entry.data for entry in found] == sent
    spool.release(2_000)
    assert (spool.published, spool.waiting, spool.accepted) == (2_000, 0, 2_000)
    spool.close(within_s=PATIENCE_S)
    assert read_cursor(tmp_path) == 2_000
    assert segment_paths(tmp_path) == []


def test_a_sender_far_behind_reads_the_disk_and_catches_up_with_memory(tmp_path: Path) -> None:
    spool = Spool(_settings(tmp_path))
    sent = _fill(spool, 700, size=60_000)  # 42 MB: more than memory keeps
    assert spool.wait_until_durable(700, within_s=PATIENCE_S)
    more = _fill(spool, 3)
    found = _read_all(spool, after=0, count=703)
    assert [entry.data for entry in found] == sent + more
    assert (spool.missing, spool.damaged_bytes) == (0, 0)
    spool.close(within_s=PATIENCE_S)


def test_what_was_not_released_is_there_after_a_restart_and_goes_first(tmp_path: Path) -> None:
    first = Spool(_settings(tmp_path))
    sent = _fill(first, 50)
    _read_all(first, after=0, count=50)
    first.release(20)
    first.close(within_s=PATIENCE_S)
    told = Told()
    second = Spool(_settings(tmp_path), tell=told)
    assert told.events == [("spool_recovered", {"waiting": 30})]
    assert (second.cursor, second.waiting, second.accepted) == (20, 30, 0)
    sent += _fill(second, 5)
    found = _read_all(second, after=20, count=35)
    assert [entry.data for entry in found] == sent[20:]
    second.release(found[-1].sequence)
    assert (second.published, second.waiting) == (35, 0)
    second.close(within_s=PATIENCE_S)


def test_a_torn_tail_is_cut_counted_and_told(tmp_path: Path) -> None:
    first = Spool(_settings(tmp_path))
    _fill(first, 10)
    first.close(within_s=PATIENCE_S)
    (path,) = segment_paths(tmp_path)
    os.truncate(path, path.stat().st_size - 5)
    told = Told()
    second = Spool(_settings(tmp_path), tell=told)
    assert told.names == ["spool_torn", "spool_recovered"]
    assert second.waiting == 9
    assert second.damaged_bytes > 0
    second.close(within_s=PATIENCE_S)


def test_a_sender_that_begins_anew_gets_everything_behind_the_cursor_again(tmp_path: Path) -> None:
    spool = Spool(_settings(tmp_path))
    _fill(spool, 30)
    _read_all(spool, after=0, count=30)
    spool.release(10)
    spool.rewind()
    again = _read_all(spool, after=spool.cursor, count=20)
    assert [entry.sequence for entry in again] == list(range(11, 31))
    spool.close(within_s=PATIENCE_S)


def test_the_cursor_is_written_while_the_spool_is_open(tmp_path: Path) -> None:
    spool = Spool(_settings(tmp_path))
    _fill(spool, 5)
    spool.release(5)
    assert read_cursor(tmp_path) == 5
    spool.close(within_s=PATIENCE_S)


def test_two_agents_cannot_share_a_folder(tmp_path: Path) -> None:
    spool = Spool(_settings(tmp_path))
    with pytest.raises(SpoolInUseError):
        Spool(_settings(tmp_path))
    spool.close(within_s=PATIENCE_S)
    Spool(_settings(tmp_path)).close(within_s=PATIENCE_S)


def test_after_the_end_nothing_is_accepted(tmp_path: Path) -> None:
    spool = Spool(_settings(tmp_path))
    spool.close(within_s=PATIENCE_S)
    with pytest.raises(SpoolClosedError):
        spool.append(1, b"dev", b"late")


def test_durable_is_what_the_disk_was_asked_to_keep(tmp_path: Path) -> None:
    spool = Spool(_settings(tmp_path, sync_ms=60_000))
    _fill(spool, 5)
    assert not spool.wait_until_durable(5, within_s=0.02)
    wait_until(lambda: spool.pending_bytes == 0)
    assert (spool.durable, spool.syncs) == (0, 0)
    spool.close(within_s=PATIENCE_S)
    assert spool.durable == 5


def test_a_file_that_cannot_be_read_is_told_once_and_read_when_it_can(tmp_path: Path) -> None:
    first = Spool(_settings(tmp_path))
    _fill(first, 5)
    first.close(within_s=PATIENCE_S)
    (path,) = segment_paths(tmp_path)
    told = Told()
    second = Spool(_settings(tmp_path), tell=told)
    path.rename(tmp_path / "away")
    for _ in range(2):
        assert second.read(0, wait_s=0.0) == []
    assert second.maybe_trouble is not None
    assert told.names == ["spool_recovered", "spool_unreadable"]
    (tmp_path / "away").rename(path)
    assert len(_read_all(second, after=0, count=5)) == 5
    assert second.maybe_trouble is None
    second.close(within_s=PATIENCE_S)


def test_what_is_left_in_memory_is_read_when_every_file_is_gone(tmp_path: Path) -> None:
    """A full disk: all files were dropped to make room, and it takes nothing new yet."""
    spool = Spool(_settings(tmp_path, sync_ms=60_000))
    _fill(spool, 5)
    wait_until(lambda: spool.pending_bytes == 0)
    spool._store.close()
    spool._backlog.mark_durable(5)
    maybe_file = spool._store.oldest_untaken()
    assert maybe_file is not None
    with spool._backlog.guard:
        assert spool._store.remove_untaken(maybe_file)
        spool._backlog.forget_guarded(range(1, 6))
    _fill(spool, 3)
    found = _read_all(spool, after=0, count=3)
    assert [entry.sequence for entry in found] == [6, 7, 8]
    assert (spool.missing, spool.waiting) == (0, 3)
    spool.close(within_s=PATIENCE_S)
