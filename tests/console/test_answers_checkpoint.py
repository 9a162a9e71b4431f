"""A checkpoint's files; `test_commands_inspect` has those of a real job."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from console.answers.checkpoint import Checkpoint, group_facts, partition_rows
from console.errors import OperatorError
from ordering_udfs.shard_state import ShardState
from streaming.manifest import FILE_NAME, new_manifest
from tests.console.shop import SEMANTIC, replay_shop
from tests.console.test_answers_changelog import changelog


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A checkpoint whose batch 1 was begun and not committed."""
    manifest = new_manifest(raw_topics={"p.raw": 2}, tasks=1, policies="semantic")
    (tmp_path / FILE_NAME).write_text(json.dumps(manifest._asdict()))
    replay, _ = replay_shop()
    replay.counters()
    for query in ("ordering", "history"):
        for name in ("offsets", "commits"):
            (tmp_path / query / name).mkdir(parents=True)
    for batch in (0, 1):
        offsets = {"p.raw": {"0": 10 * (batch + 1), "1": 0}}
        (tmp_path / "ordering" / "offsets" / str(batch)).write_text(
            "v1\n{}\n" + json.dumps(offsets)
        )
    (tmp_path / "ordering" / "commits" / "0").write_text("v1\n{}")
    task = tmp_path / "ordering" / "state" / "0" / "0"
    task.mkdir(parents=True)
    (shard,) = replay._shards.values()
    (task / "1.delta").write_bytes(changelog(shard.state))
    (task / "2.delta").write_bytes(changelog(ShardState(0, captured=999)))
    return tmp_path


def test_only_what_a_committed_batch_left_counts(folder: Path) -> None:
    checkpoint = Checkpoint(str(folder))
    (row,) = partition_rows(checkpoint.states())
    assert (row["captured"], row["delivered"], row["held"]) == (14, 8, 3)
    assert checkpoint.unknown_partitions([0]) == [1]
    ordering, history = checkpoint.progress()
    assert (ordering.begun, ordering.committed) == (1, 0)
    assert ordering.offsets == {"p.raw": {"0": 20, "1": 0}}
    assert (history.begun, history.committed) == (None, None)


def test_a_group_tells_what_it_holds_and_misses(folder: Path) -> None:
    states = Checkpoint(f"file://{folder}").states()
    facts = list(group_facts(states, SEMANTIC, is_wanted=lambda name: name == "shop"))
    assert [(one.group, one.delivered, one.held, one.missing) for one in facts] == [
        ("shop", 5, 3, ("eve#1:1",))
    ]


def test_what_is_no_checkpoint_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(OperatorError, match="is no checkpoint"):
        Checkpoint(str(tmp_path))
    with pytest.raises(OperatorError, match="mount it"):
        Checkpoint("s3://bucket/checkpoint")
