"""The marksman kills at the file that it was told of, and at no other."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from deploy.local.child import Child
from tests.end_to_end.marksman import shoot

PATIENCE_SECONDS = 60.0
UNFINISHED = r"\.\d+\..*\.tmp"


@pytest.fixture
def target(tmp_path: Path) -> Iterator[Child]:
    with Child(["sleep", "600"], name="target", log_file=tmp_path / "target.log") as child:
        yield child


def test_it_kills_at_the_file_whose_name_fits(target: Child, tmp_path: Path) -> None:
    folder = tmp_path / "commits"
    folder.mkdir()

    def write() -> None:
        """What Spark writes for each batch, until somebody dies of it."""
        number = 0
        while target.is_running:
            (folder / f".{number}.crc").touch()
            (folder / f".{number}.0b1e.tmp").touch()
            number += 1
            time.sleep(0.05)

    writer = threading.Thread(target=write)
    writer.start()
    maybe_file = shoot(folder, UNFINISHED, 2, [target], within_seconds=PATIENCE_SECONDS)
    writer.join()
    assert maybe_file is not None
    assert maybe_file.parent == folder
    assert maybe_file.name.endswith(".0b1e.tmp")
    assert target.kill() == -signal.SIGKILL


def test_a_target_that_ends_by_itself_is_told_as_that(target: Child, tmp_path: Path) -> None:
    target.signal(signal.SIGTERM)
    assert shoot(tmp_path, UNFINISHED, 1, [target], within_seconds=PATIENCE_SECONDS) is None
    assert target.kill() == -signal.SIGTERM
