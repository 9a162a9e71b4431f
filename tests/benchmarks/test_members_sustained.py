"""Laws of the long talk: everything is delivered, and its measure can tell growth."""

from __future__ import annotations

from benchmarks.members_sustained import resident_bytes, sustain


def test_a_long_talk_is_delivered_whole() -> None:
    measured = sustain(20_000)
    assert measured.delivered >= 20_000
    assert measured.messages_per_s > 0
    assert measured.grown_bytes_per_message >= 0


def test_what_is_held_is_seen() -> None:
    before = resident_bytes()
    held = bytearray(b"x") * (64 * 1024 * 1024)
    assert resident_bytes() - before > len(held) // 2
