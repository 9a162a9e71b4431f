from pathlib import Path

from ingest.spool.reader import Reader, SegmentFile
from ingest.spool.record import Entry, encode_record
from ingest.spool.segment import SegmentName
from tests.ingest.spool_entries import entries


def _file(directory: Path, found: list[Entry], *, salt: int = 7) -> SegmentFile:
    name = SegmentName(found[0].sequence, salt)
    path = directory / str(name)
    path.write_bytes(b"".join(encode_record(entry, salt) for entry in found))
    return SegmentFile(name, found[-1].sequence, path.stat().st_size, path)


def _all(reader: Reader, files: list[SegmentFile], after: int) -> list[Entry]:
    found: list[Entry] = []
    while more := reader.read(files, found[-1].sequence if found else after):
        found += more
    return found


def test_files_are_read_as_one_sequence_from_any_number(tmp_path: Path) -> None:
    files = [_file(tmp_path, entries(1, 5)), _file(tmp_path, entries(6, 9))]
    reader = Reader(cursor=0)
    for after in (0, 3, 5, 7, 9, 2):
        assert _all(reader, files, after) == entries(after + 1, 9)
    assert (reader.missing, reader.damaged_bytes) == (0, 0)


def test_a_file_that_grows_is_read_on(tmp_path: Path) -> None:
    reader = Reader(cursor=0)
    file = _file(tmp_path, entries(1, 3))
    assert _all(reader, [file], 0) == entries(1, 3)
    assert reader.read([file], 3) == []
    grown = _file(tmp_path, entries(1, 6))
    assert reader.read([grown], 3) == entries(4, 6)


def test_a_damaged_record_is_counted_once_however_often_it_is_passed(tmp_path: Path) -> None:
    file = _file(tmp_path, entries(1, 5))
    data = bytearray(file.path.read_bytes())
    data[data.index(b"message 3")] ^= 1
    file.path.write_bytes(bytes(data))
    reader = Reader(cursor=0)
    for _ in range(2):
        assert [entry.sequence for entry in _all(reader, [file], 0)] == [1, 2, 4, 5]
    assert reader.missing == 1
    assert reader.damaged_bytes > 0


def test_the_torn_end_of_an_earlier_file_does_not_hide_the_next(tmp_path: Path) -> None:
    first, second = _file(tmp_path, entries(1, 5)), _file(tmp_path, entries(6, 9))
    first.path.write_bytes(first.path.read_bytes()[:-3])
    files = [first._replace(size=first.size - 3), second]
    reader = Reader(cursor=0)
    assert [entry.sequence for entry in _all(reader, files, 0)] == [1, 2, 3, 4, 6, 7, 8, 9]
    assert reader.missing == 1


def test_what_was_given_up_on_purpose_is_not_missing(tmp_path: Path) -> None:
    files = [_file(tmp_path, entries(1, 3)), _file(tmp_path, entries(8, 9))]
    reader = Reader(cursor=0)
    reader.explain(range(4, 7))
    assert [entry.sequence for entry in _all(reader, files, 0)] == [1, 2, 3, 8, 9]
    assert reader.missing == 1


def test_a_file_that_was_removed_is_passed(tmp_path: Path) -> None:
    files = [_file(tmp_path, entries(n, n + 1)) for n in (1, 3, 5)]
    reader = Reader(cursor=0)
    assert reader.read(files, 0) == entries(1, 2)
    reader.explain(range(3, 5))
    del files[1]
    assert reader.read(files, 2) == entries(5, 6)
    assert reader.missing == 0


def test_entries_that_stand_in_two_files_are_given_once(tmp_path: Path) -> None:
    files = [
        _file(tmp_path, entries(1, 6), salt=1),
        _file(tmp_path, entries(4, 6), salt=2),
        _file(tmp_path, entries(4, 9), salt=3),
    ]
    reader = Reader(cursor=0)
    assert _all(reader, files, 0) == entries(1, 9)
    assert reader.missing == 0


def test_what_no_file_holds_any_more_is_missing_once_unless_it_was_explained() -> None:
    reader = Reader(cursor=0)
    reader.explain(range(3, 6))
    for _ in range(2):
        reader.pass_over(0, 9)
    assert reader.missing == 6
