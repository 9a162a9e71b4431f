"""A crash becomes as small as what makes it crash."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.fuzz.shrinking import shrink


@given(st.binary(max_size=200), st.binary(max_size=200))
def test_what_matters_is_all_that_is_left(before: bytes, after: bytes) -> None:
    assert shrink(before + b"bug" + after, lambda data: b"bug" in data) == b"bug"


def test_bytes_that_do_not_matter_become_zero() -> None:
    assert shrink(bytes(range(1, 50)), lambda data: len(data) == 49) == bytes(49)


def test_a_sum_is_put_right_while_pieces_go() -> None:
    def summed(data: bytes) -> bytes:
        return bytes([len(data) % 256]) + data[1:]

    smallest = shrink(
        summed(b"?" * 50 + b"bug"), lambda d: d == summed(d) and b"bug" in d, mended=summed
    )
    assert smallest == b"\x04bug"


def test_a_small_input_still_fails() -> None:
    assert shrink(b"xbx", lambda data: data.count(b"x") == 2) == b"xx"
    assert shrink(b"", lambda _: True) == b""
