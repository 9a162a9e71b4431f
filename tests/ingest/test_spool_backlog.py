import threading

import pytest

from ingest.errors import SpoolClosedError
from ingest.spool.backlog import READ_ENTRIES, Backlog
from ingest.spool.record import Entry, EntryKind
from tests.ingest.loopback import wait_until


def _backlog(*, always: bool = False, pending: int = 10_000, recent: int = 10_000) -> Backlog:
    return Backlog(
        last=0, is_durable_before_read=always, pending_bytes=pending, recent_bytes=recent
    )


def _append(backlog: Backlog, count: int) -> None:
    for _ in range(count):
        backlog.append(1, b"dev", b"x" * 65)  # 100 bytes with its head


def _read(backlog: Backlog, after: int, *, wait_s: float = 0.0) -> list[int] | None:
    maybe_found = backlog.read(after, wait_s=wait_s, mark_taken=lambda _: None)
    return None if maybe_found is None else [entry.sequence for entry in maybe_found]


def _write(backlog: Backlog) -> list[Entry]:
    batch = backlog.take_pending()
    backlog.mark_written(sum(entry.size for entry in batch))
    backlog.mark_durable(batch[-1].sequence)
    return batch


def test_numbers_count_on_and_are_read_in_order() -> None:
    backlog = _backlog()
    _append(backlog, 5)
    assert [entry.sequence for entry in backlog.take_pending()] == [1, 2, 3, 4, 5]
    assert _read(backlog, 0) == [1, 2, 3, 4, 5]
    assert _read(backlog, 3) == [4, 5]
    assert _read(backlog, 5) == []


def test_a_read_is_bounded() -> None:
    backlog = _backlog(pending=10**9, recent=10**9)
    _append(backlog, READ_ENTRIES + 7)
    assert len(_read(backlog, 0) or []) == READ_ENTRIES
    assert len(_read(backlog, READ_ENTRIES) or []) == 7


def test_where_the_disk_comes_first_nothing_is_read_before_it_is_durable() -> None:
    backlog = _backlog(always=True)
    _append(backlog, 3)
    assert _read(backlog, 0) == []
    backlog.mark_durable(2)
    assert _read(backlog, 0) == [1, 2]


def test_what_memory_has_no_room_for_is_read_from_the_disk_and_only_if_the_disk_has_it() -> None:
    backlog = _backlog(recent=500)
    _append(backlog, 20)
    assert _read(backlog, 0) == list(range(1, 21))
    _write(backlog)
    assert _read(backlog, 0) is None
    assert _read(backlog, 15) == [16, 17, 18, 19, 20]


def test_an_append_waits_while_too_much_is_pending_and_goes_on_when_it_is_written() -> None:
    backlog = _backlog(pending=500)
    _append(backlog, 5)
    assert backlog.is_full
    thread = threading.Thread(target=_append, args=(backlog, 1))
    thread.start()
    wait_until(lambda: backlog.blocked == 1)
    assert backlog.last == 5
    _write(backlog)
    thread.join()
    assert backlog.last == 6


def test_an_append_that_waits_ends_when_the_spool_is_closed() -> None:
    backlog = _backlog(pending=100)
    _append(backlog, 1)
    ended: list[type[BaseException]] = []

    def append() -> None:
        with pytest.raises(SpoolClosedError):
            _append(backlog, 1)
        ended.append(SpoolClosedError)

    thread = threading.Thread(target=append)
    thread.start()
    wait_until(lambda: backlog.blocked == 1)
    backlog.close()
    thread.join()
    assert ended == [SpoolClosedError]
    assert _read(backlog, 1, wait_s=60.0) == []


def test_a_reader_that_waits_gets_what_comes() -> None:
    backlog = _backlog()
    found: list[list[int] | None] = []
    thread = threading.Thread(target=lambda: found.append(_read(backlog, 0, wait_s=60.0)))
    thread.start()
    _append(backlog, 1)
    thread.join()
    assert found == [[1]]


def test_what_the_disk_refused_is_pending_again_in_order_but_for_what_kafka_has() -> None:
    backlog = _backlog()
    _append(backlog, 6)
    batch = backlog.take_pending()
    _append(backlog, 2)
    backlog.put_back(batch[3:], cursor=2, written=batch[:3])
    assert backlog.pending_bytes == 600
    assert [entry.sequence for entry in backlog.take_pending()] == [3, 4, 5, 6, 7, 8]


def test_what_was_released_is_forgotten() -> None:
    backlog = _backlog()
    _append(backlog, 4)
    _write(backlog)
    backlog.release(3)
    assert _read(backlog, 0) is None
    assert _read(backlog, 3) == [4]


def test_the_older_half_of_what_nobody_has_begun_is_dropped_and_the_reader_passes_it() -> None:
    backlog = _backlog(pending=1_000)
    _append(backlog, 10)
    gone = backlog.drop_pending(beyond=4)
    assert [entry.sequence for entry in gone] == [5, 6, 7]
    assert backlog.pending_bytes == 700
    assert _read(backlog, 3) == [4, 8, 9, 10]
    assert _read(backlog, 4) == [8, 9, 10]
    assert backlog.drop_pending(beyond=10) == []


def test_what_was_dropped_from_the_disk_is_not_given_from_memory() -> None:
    backlog = _backlog()
    _append(backlog, 4)
    _write(backlog)
    with backlog.guard:
        backlog.forget_guarded(range(2, 4))
    assert _read(backlog, 1) is None
    assert _read(backlog, 3) == [4]


def test_what_is_read_counts_as_taken_before_it_is_given() -> None:
    backlog = _backlog()
    _append(backlog, 4)
    taken: list[int] = []
    backlog.read(1, wait_s=0.0, mark_taken=taken.append)
    assert taken == [4]


def test_a_notice_never_waits() -> None:
    backlog = _backlog(pending=100)
    _append(backlog, 1)
    backlog.append_notice(1, b"dev", b"lost")
    assert [entry.kind for entry in backlog.take_pending()] == [
        EntryKind.MESSAGE,
        EntryKind.GAP_NOTICE,
    ]


def test_the_writer_waits_until_there_is_work() -> None:
    backlog = _backlog()
    assert not backlog.wait_for_work(0.001)
    found: list[bool] = []
    thread = threading.Thread(target=lambda: found.append(backlog.wait_for_work(60.0)))
    thread.start()
    _append(backlog, 1)
    thread.join()
    assert found == [True]


def test_many_at_once_are_numbered_in_their_order_and_wait_for_room_in_between() -> None:
    backlog = _backlog(pending=500)
    messages = [(number, b"dev", b"x" * 65) for number in range(12)]
    numbers: list[int] = []
    thread = threading.Thread(target=lambda: numbers.append(backlog.append_all(messages)))
    thread.start()
    written: list[Entry] = []
    while len(written) < len(messages):
        wait_until(lambda: backlog.is_full or backlog.last == len(messages))
        written += _write(backlog)
    thread.join()
    assert numbers == [12]
    assert [entry.sequence for entry in written] == list(range(1, 13))
    assert [entry.captured_at for entry in written] == list(range(12))
    assert backlog.blocked == 2
    assert backlog.append_all([]) == 12


def test_what_waits_for_messages_is_woken_even_if_they_must_wait_for_room() -> None:
    backlog = _backlog(pending=300)
    messages = [(1, b"dev", b"x" * 65)] * 9
    found: list[bool] = []
    thread = threading.Thread(target=lambda: found.append(backlog.wait_for_work(60.0)))
    thread.start()
    wait_until(lambda: backlog._is_work_awaited)
    appending = threading.Thread(target=backlog.append_all, args=(messages,))
    appending.start()
    thread.join()
    assert found == [True]
    while backlog.last < len(messages):
        wait_until(lambda: backlog.is_full or backlog.last == len(messages))
        _write(backlog)
    appending.join()
    assert backlog.last == len(messages)
