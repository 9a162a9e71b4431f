import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.spool.cursor import FILE_NAME, read_cursor, write_cursor


def test_a_cursor_is_read_as_it_was_written(tmp_path: Path) -> None:
    assert read_cursor(tmp_path) is None
    for through in (0, 7, 2**63):
        write_cursor(tmp_path, through)
        assert read_cursor(tmp_path) == through


def test_a_cursor_that_is_cut_or_flipped_anywhere_is_none(tmp_path: Path) -> None:
    write_cursor(tmp_path, 1_234)
    file = tmp_path / FILE_NAME
    whole = file.read_bytes()
    for length in range(len(whole)):
        file.write_bytes(whole[:length])
        assert read_cursor(tmp_path) is None
    for bit in range(len(whole) * 8):
        damaged = bytearray(whole)
        damaged[bit // 8] ^= 1 << bit % 8
        file.write_bytes(bytes(damaged))
        assert read_cursor(tmp_path) is None


@given(data=st.binary(max_size=100))
def test_no_bytes_make_reading_a_cursor_raise(data: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / FILE_NAME).write_bytes(data)
        assert read_cursor(Path(folder)) is None


def test_a_cursor_that_cannot_be_written_leaves_the_old_one(tmp_path: Path) -> None:
    write_cursor(tmp_path, 5)
    (tmp_path / f"{FILE_NAME}.new").mkdir()
    with pytest.raises(OSError, match="director"):
        write_cursor(tmp_path, 6)
    assert read_cursor(tmp_path) == 5
