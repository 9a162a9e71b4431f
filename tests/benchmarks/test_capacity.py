"""What a partition carries is measured in a worker as the job has it."""

from __future__ import annotations

from benchmarks.capacity import measure, with_groups, with_held


def test_more_groups_make_a_larger_state() -> None:
    few, many = with_groups(100), with_groups(1_000)
    assert many["state_bytes"] > 5 * few["state_bytes"]
    assert all(few[name] > 0 for name in ("resident_bytes", "batch_ms"))


def test_what_is_held_stays_in_the_state() -> None:
    assert with_held(1_000)["state_bytes"] > 1_000 * 90


def test_every_size_has_its_figures() -> None:
    measured = measure(say=lambda _: None, groups=(100,), held=(1_000,))
    assert set(measured.figures) == {
        f"{start}_{name}"
        for start in ("groups_100", "held_1000")
        for name in ("state_bytes", "resident_bytes", "batch_ms")
    }
