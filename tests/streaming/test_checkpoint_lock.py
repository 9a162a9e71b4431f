"""A checkpoint belongs to one job at a time."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from streaming.checkpoint_lock import checkpoint_lock, local_folder
from streaming.errors import CheckpointError


def test_a_second_job_is_refused_with_the_number_of_the_first(tmp_path: Path) -> None:
    directory = str(tmp_path / "checkpoint")
    with (
        checkpoint_lock(directory),
        pytest.raises(CheckpointError, match=rf"process {os.getpid()}\): stop it"),
        checkpoint_lock(directory),
    ):
        pass
    with checkpoint_lock(directory):
        pass


def test_what_is_not_on_this_machine_has_no_lock() -> None:
    assert local_folder("s3a://bucket/checkpoint") is None
    assert local_folder("file:///data/checkpoint") == Path("/data/checkpoint")
    assert local_folder("checkpoint") == Path("checkpoint")
    with checkpoint_lock("s3a://bucket/checkpoint"), checkpoint_lock("s3a://bucket/checkpoint"):
        pass
