"""The cursor: up to where Kafka has acknowledged everything, kept in a file of its own.

    1234 5f1b3c09\n          the sequence number and a checksum of it

The cursor may be old (a crash came before it was written): messages are then sent again, and the
job drops them as duplicates. It may never be ahead of the truth, so what can't be read counts as
nothing acknowledged.
"""

import os
from pathlib import Path
from typing import Final
from zlib import crc32

FILE_NAME: Final = "cursor"
_MOST_BYTES: Final = 64


def read_cursor(directory: Path) -> int | None:
    """Give the cursor of a spool; None if there is none that can be trusted."""
    try:
        with (directory / FILE_NAME).open("rb") as opened:
            text = opened.read(_MOST_BYTES)
    except OSError:
        return None
    return parse_cursor(text)


def parse_cursor(text: bytes) -> int | None:
    """Give the number that a cursor's file says; None unless it is whole."""
    number, _, rest = text.partition(b" ")
    is_whole = number.isdigit() and text == _text_of(int(number))
    return int(number) if is_whole and rest else None


def write_cursor(directory: Path, through: int) -> None:
    """Put a new cursor in the place of the old one. Raises OSError; the old one then stands."""
    fresh = directory / f"{FILE_NAME}.new"
    fresh.write_bytes(_text_of(through))
    os.replace(fresh, directory / FILE_NAME)  # noqa: PTH105 (replaces in one step, by intent)


def _text_of(through: int) -> bytes:
    number = b"%d" % through
    return b"%b %08x\n" % (number, crc32(number))
