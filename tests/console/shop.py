"""The small fixed history of the pages: docs/shop.jsonl, replayed into tables without Spark."""

from __future__ import annotations

from pathlib import Path

import pytest

from console.answers.log_file import read_log
from console.answers.replaying import Replay, Replayed
from console.answers.table_writing import TableWriter
from console.command import run
from console.terminal import terminal_of_process
from ordering.policy import GroupPolicy
from ordering_udfs.group_policies import GroupPolicies
from tests.tidy.repository import ROOT

SHOP = ROOT / "docs" / "shop.jsonl"
SEMANTIC = GroupPolicies(GroupPolicy(discipline="semantic"), ())


def replay_shop() -> tuple[Replay, list[Replayed]]:
    """Everything that the shop's log comes to."""
    replay = Replay(SEMANTIC)
    return replay, list(replay.of_file(read_log(SHOP, subscriptions=())))


def make_shop(directory: Path) -> str:
    """Write the shop's tables; gives their folder."""
    writer = TableWriter(directory)
    for part in replay_shop()[1]:
        writer.take(part)
    writer.finish()
    return str(directory)


class Said:
    """What a command wrote and how it ended."""

    def __init__(self, code: int, out: str, progress: str) -> None:
        self.code = code
        self.out = out
        self.progress = progress

    @property
    def lines(self) -> list[str]:
        return self.out.splitlines()


def precede(capsys: pytest.CaptureFixture[str], *arguments: str) -> Said:
    """Run a command in this process."""
    capsys.readouterr()
    code = run(list(arguments), terminal=terminal_of_process({"NO_COLOR": "1"}))
    captured = capsys.readouterr()
    return Said(int(code), captured.out, captured.err)
