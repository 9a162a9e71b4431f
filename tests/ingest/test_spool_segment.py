from pathlib import Path

import pytest

from ingest.errors import SpoolFormatError
from ingest.spool.record import encode_record
from ingest.spool.segment import (
    READ_BYTES,
    SegmentName,
    SegmentWriter,
    new_name,
    parse_name,
    read_all,
    read_from,
)
from tests.ingest.spool_entries import entries, entry


def test_a_name_says_its_first_number_and_its_salt(tmp_path: Path) -> None:
    name = SegmentName(1234, 0x9F3A77C2)
    assert str(name) == "00000000000000001234-9f3a77c2.v1.spool"
    assert parse_name(tmp_path / str(name)) == name


def test_names_sort_as_their_numbers_do() -> None:
    assert sorted(str(SegmentName(n, 0)) for n in (10, 9, 2**63)) == [
        str(SegmentName(n, 0)) for n in (9, 10, 2**63)
    ]


def test_no_two_segments_share_their_salt_but_by_chance() -> None:
    assert len({new_name(1).salt for _ in range(50)}) > 40


def test_a_segment_of_another_format_is_refused_with_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "00000000000000000001-00000000.v2.spool"
    with pytest.raises(SpoolFormatError, match=r"format 2, and this version of Precede reads 1;.*"):
        parse_name(path)


@pytest.mark.parametrize("name", ["notes.spool", "1-0.v1.spool", ".spool"])
def test_a_file_that_only_ends_like_a_segment_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(SpoolFormatError, match="move it out of the folder"):
        parse_name(tmp_path / name)


def test_what_is_written_is_read_in_pieces(tmp_path: Path) -> None:
    writer = SegmentWriter(tmp_path, new_name(1))
    long = entry(2, data=b"x" * (READ_BYTES // 2))
    written = [entry(1), long, entry(3), long._replace(sequence=4), *entries(5, 9)]
    for one in written:
        writer.write(encode_record(one, writer.name.salt))
    assert writer.durable_size == 0
    writer.sync()
    assert writer.durable_size == writer.size == writer.path.stat().st_size
    writer.close()
    pieces = list(read_all(writer.path, writer.name.salt))
    assert len(pieces) > 1
    assert [found for _, scanned in pieces for found in scanned.entries] == written


def test_nothing_behind_the_limit_is_read(tmp_path: Path) -> None:
    writer = SegmentWriter(tmp_path, new_name(1))
    first = encode_record(entry(1), writer.name.salt)
    writer.write(first + encode_record(entry(2), writer.name.salt))
    writer.close()
    scanned = read_from(writer.path, writer.name.salt, offset=0, limit=len(first))
    assert scanned.entries == [entry(1)]


def test_only_its_owner_may_read_a_segment(tmp_path: Path) -> None:
    writer = SegmentWriter(tmp_path, new_name(1))
    writer.close()
    assert writer.path.stat().st_mode & 0o077 == 0
