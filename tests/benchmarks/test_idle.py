"""Laws of the measurement of idle groups."""

from __future__ import annotations

from benchmarks.idle import idle_group_snapshot_bytes

MOST_BYTES = 300


def test_a_quiet_group_takes_under_300_bytes_however_much_it_has_delivered() -> None:
    few, many = idle_group_snapshot_bytes(1_000), idle_group_snapshot_bytes(50_000)
    assert few < many < MOST_BYTES
    # Only the numbers grow: five counts and a position, of at most five bytes each.
    assert many - few <= 6 * 5
