"""Laws of the measurement of many groups with few messages each."""

from __future__ import annotations

from benchmarks.groups import BATCHES, PER_BATCH, race_groups
from benchmarks.options import Options

GROUPS = 4


def test_kept_or_from_bytes_all_is_delivered() -> None:
    runs, figures = race_groups(Options(groups=GROUPS, repeats=2))
    for run in runs.values():
        assert run.messages == run.delivered == GROUPS * PER_BATCH * BATCHES
    assert set(figures) == {
        "groups_4_messages_per_s",
        "groups_4_from_bytes_messages_per_s",
        "group_restore_ns",
        "group_snapshot_ns",
        "busy_group_snapshot_bytes",
    }
    assert all(figure > 0 for figure in figures.values())
    assert figures["busy_group_snapshot_bytes"] > PER_BATCH
