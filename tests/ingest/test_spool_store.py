"""The laws of the store: what a crash, a cut or a flipped bit may cost, and what it may not."""

import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
)

from ingest.errors import SpoolError, SpoolFormatError
from ingest.spool.cursor import write_cursor
from ingest.spool.record import Entry
from ingest.spool.store import Store
from tests.ingest.spool_entries import entries, entry, on_disk, read_to_end, segment_paths

SMALL = 200
LARGE = 1 << 20


def _written(directory: Path, *batches: list[Entry], segment_bytes: int = LARGE) -> None:
    store = Store(directory, segment_bytes=segment_bytes)
    for batch in batches:
        store.write(batch)
    store.close()


def test_an_empty_folder_begins_at_one(tmp_path: Path) -> None:
    found = Store(tmp_path, segment_bytes=LARGE).recovered
    assert (found.cursor, found.last, found.torn_bytes, found.waiting) == (0, 0, 0, 0)


def test_what_was_written_is_there_after_the_end_in_order(tmp_path: Path) -> None:
    _written(tmp_path, entries(1, 5), entries(6, 20), segment_bytes=SMALL)
    store = Store(tmp_path, segment_bytes=SMALL)
    assert len(segment_paths(tmp_path)) > 1
    assert store.recovered.last == 20
    assert read_to_end(store, 0) == entries(1, 20)


def test_cut_at_every_byte_of_its_last_file_no_earlier_entry_is_lost(tmp_path: Path) -> None:
    whole = tmp_path / "whole"
    whole.mkdir()
    _written(whole, entries(1, 4), entries(5, 8), segment_bytes=SMALL - 40)
    last = segment_paths(whole)[-1]
    size = last.stat().st_size
    ends = [4, *range(5, 9)]
    for length in range(size + 1):
        cut = tmp_path / "cut"
        shutil.copytree(whole, cut)
        with (cut / last.name).open("r+b") as opened:
            opened.truncate(length)
        store = Store(cut, segment_bytes=LARGE)
        kept = ends[length * 4 // size]
        assert read_to_end(store, 0) == entries(1, kept)
        assert store.recovered.last == kept
        assert store.recovered.torn_bytes == length - (kept - 4) * size // 4
        store.write([entry(kept + 1, data=b"after the crash")])
        assert read_to_end(store, kept) == [entry(kept + 1, data=b"after the crash")]
        store.close()
        assert Store(cut, segment_bytes=LARGE).recovered.torn_bytes == 0
        shutil.rmtree(cut)


def test_a_flip_of_every_bit_of_its_tail_costs_one_entry_and_never_gives_a_wrong_one(
    tmp_path: Path,
) -> None:
    _written(tmp_path, entries(1, 3))
    (path,) = segment_paths(tmp_path)
    whole = path.read_bytes()
    for bit in range(len(whole) * 8):
        damaged = bytearray(whole)
        damaged[bit // 8] ^= 1 << bit % 8
        path.write_bytes(bytes(damaged))
        store = Store(tmp_path, segment_bytes=LARGE)
        found = read_to_end(store, 0)
        hit = bit // 8 * 3 // len(whole) + 1
        assert found == [one for one in entries(1, 3) if one.sequence != hit]
        is_last = hit == 3
        assert (store.recovered.torn_bytes > 0) == is_last
        assert store.missing == (0 if is_last else 1)


def test_a_number_that_kafka_has_is_never_given_again(tmp_path: Path) -> None:
    _written(tmp_path, entries(1, 3))
    write_cursor(tmp_path, 9)
    found = Store(tmp_path, segment_bytes=LARGE).recovered
    assert (found.cursor, found.last, found.waiting) == (9, 9, 0)


def test_without_a_cursor_everything_that_is_left_waits(tmp_path: Path) -> None:
    store = Store(tmp_path, segment_bytes=SMALL)
    for number in range(1, 21):
        store.write([entry(number)])
    store.release(12)
    store.close()
    again = Store(tmp_path, segment_bytes=SMALL)
    assert read_to_end(again, again.recovered.cursor)[-8:] == entries(13, 20)
    assert again.missing == 0


def test_a_file_is_removed_when_nothing_in_it_waits_and_not_before(tmp_path: Path) -> None:
    store = Store(tmp_path, segment_bytes=SMALL)
    for number in range(1, 21):
        store.write([entry(number)])
    for through in range(1, 21):
        store.release(through)
        kept = {one.sequence for one in on_disk(tmp_path)}
        assert set(range(through + 1, 21)) <= kept
    store.close()
    store.release(20)
    assert segment_paths(tmp_path) == []
    assert store.total_bytes == 0


def test_only_what_the_sender_has_not_begun_can_be_removed_for_room(tmp_path: Path) -> None:
    store = Store(tmp_path, segment_bytes=SMALL)
    for number in range(1, 21):
        store.write([entry(number)])
    taken = store.read(0)[-1].sequence
    maybe_file = store.oldest_untaken()
    assert maybe_file is not None
    assert maybe_file.name.first > taken
    store.mark_taken(maybe_file.name.first)
    assert not store.remove_untaken(maybe_file)
    store.mark_taken(taken)
    assert store.remove_untaken(maybe_file)
    gone = range(maybe_file.name.first, maybe_file.last + 1)
    rest = [one.sequence for one in read_to_end(store, taken)]
    assert rest == [n for n in range(taken + 1, 21) if n not in gone]
    assert store.missing == 0
    assert store.gone == store.gone_waiting(taken) == len(gone)
    assert store.gone_waiting(gone.stop) == 0


def test_a_file_that_failed_is_cut_to_what_is_durable_and_the_rest_is_written_again(
    tmp_path: Path,
) -> None:
    store = Store(tmp_path, segment_bytes=LARGE)
    store.write(entries(1, 3))
    store.sync()
    store.write(entries(4, 6))
    assert read_to_end(store, 0) == entries(1, 6)
    store.abandon_active()
    store.abandon_active()
    assert on_disk(tmp_path) == entries(1, 3)
    store.write(entries(4, 8))
    assert read_to_end(store, 6) == entries(7, 8)
    store.close()
    assert on_disk(tmp_path) == entries(1, 8)


def test_a_file_that_failed_before_its_first_sync_is_gone(tmp_path: Path) -> None:
    store = Store(tmp_path, segment_bytes=LARGE)
    store.write(entries(1, 3))
    store.abandon_active()
    assert segment_paths(tmp_path) == []


def test_a_segment_of_another_format_refuses_the_whole_folder(tmp_path: Path) -> None:
    _written(tmp_path, entries(1, 3))
    (tmp_path / "00000000000000000009-00000000.v9.spool").write_bytes(b"")
    with pytest.raises(SpoolFormatError, match="format 9"):
        Store(tmp_path, segment_bytes=LARGE)


def test_a_folder_that_cannot_be_read_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(SpoolError, match="can't be read"):
        Store(tmp_path / "nowhere", segment_bytes=LARGE)


class Crashes(RuleBasedStateMachine):
    """Write, sync, read, release and crash in any order, against a plain list.

    A crash keeps what was synced, and of what was only written any part: cut anywhere, or with
    bytes overwritten, as a power cut may leave it.
    """

    def __init__(self) -> None:
        super().__init__()
        self.directory = Path(tempfile.mkdtemp())
        self.model: list[Entry] = []
        self.durable = self.cursor = self.store_last = 0

    @initialize()
    def start(self) -> None:
        self._open()

    @rule(sizes=st.lists(st.integers(0, 90), min_size=1, max_size=4))
    def write(self, sizes: list[int]) -> None:
        first = self.store_last + 1
        batch = [entry(first + n, data=b"%d " % n + b"x" * size) for n, size in enumerate(sizes)]
        self.store.write(batch)
        self.model += batch
        self.store_last = batch[-1].sequence

    @rule()
    def sync(self) -> None:
        self.store.sync()
        self.durable = self.store_last

    @rule()
    def fail(self) -> None:
        """The disk refuses: everything that is not durable is written again."""
        self.store.abandon_active()
        self.durable = self.store.durable
        again = [one for one in self.model if one.sequence > self.durable]
        if again:
            self.store.write(again)

    @rule(share=st.floats(0, 1))
    def release(self, share: float) -> None:
        through = self.cursor + int((self.store_last - self.cursor) * share)
        self.store.release(through)
        write_cursor(self.directory, through)
        self.cursor = through

    @rule(cut=st.floats(0, 1), flip=st.none() | st.floats(0, 1))
    def crash(self, cut: float, flip: float | None) -> None:
        active = self.store._maybe_active
        if active is not None:
            unsynced = active.size - active.durable_size
            data = bytearray(active.path.read_bytes())
            if flip is not None and unsynced:
                data[active.durable_size + int((unsynced - 1) * flip)] ^= 0x10
            active.path.write_bytes(bytes(data[: active.durable_size + int(unsynced * cut)]))
            active.close()
        self.durable = self.store.durable
        written = self.model
        self._open()
        found = read_to_end(self.store, self.cursor)
        assert set(found) <= set(written), "a crash invented or changed an entry"
        assert [one.sequence for one in found] == sorted(one.sequence for one in found)
        needed = [one for one in written if self.cursor < one.sequence <= self.durable]
        assert set(needed) <= set(found), "a crash took what was durable"
        known = {one.sequence for one in found}
        self.model = [one for one in written if one.sequence in known]
        self.durable = self.store_last

    @precondition(lambda self: hasattr(self, "store"))
    @invariant()
    def everything_that_waits_can_be_read(self) -> None:
        waiting = [one for one in self.model if one.sequence > self.cursor]
        assert read_to_end(self.store, self.cursor) == waiting

    def _open(self) -> None:
        self.store = Store(self.directory, segment_bytes=SMALL)
        self.store_last = self.store.recovered.last
        assert self.store.recovered.cursor >= self.cursor

    def teardown(self) -> None:
        shutil.rmtree(self.directory, ignore_errors=True)


TestCrashes = Crashes.TestCase
TestCrashes.settings = settings(max_examples=150, stateful_step_count=25, deadline=None)
