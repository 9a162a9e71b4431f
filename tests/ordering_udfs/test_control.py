"""A change of policy reads as it was written; anything else is refused."""

from __future__ import annotations

import pytest

from ordering_udfs.control import read_policy_change, write_policy_change
from ordering_udfs.errors import ControlError


def test_a_change_reads_as_it_was_written() -> None:
    assert read_policy_change(write_policy_change("fifo,release,5")) == "fifo,release,5"


def test_what_has_no_utf_8_is_replaced_so_that_it_can_be_written_down() -> None:
    assert read_policy_change(b'{"policy": "\\ud800"}') == "?"


@pytest.mark.parametrize(
    "payload",
    [
        b"", b"[]", b"\xff", b"{}", b"[" * 100_000, b'{"policy": 7}',
        b'{"policy": "fifo", "notice": "x"}', b'{"notice": "capture_gap"}',
    ],
)  # fmt: skip
def test_any_other_payload_is_refused(payload: bytes) -> None:
    with pytest.raises(ControlError):
        read_policy_change(payload)
