"""Every kept input is run again, and none of them crashes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fuzz import corpus
from tests.fuzz.harness import fuzz
from tests.fuzz.targets import TARGETS

SHORT_RUN = 300


@pytest.mark.parametrize("name", sorted(TARGETS))
def test_the_kept_inputs_and_a_short_run_give_no_crash(name: str) -> None:
    kept = [*corpus.read(corpus.CORPUS, name), *corpus.read(corpus.CRASHES, name)]
    assert kept, f"run python -m tests.fuzz --target {name} --grow"
    result = fuzz(TARGETS[name], inputs=SHORT_RUN + len(kept), seed=1, corpus=kept)
    assert not result.crashes, result.crashes
    assert result.accepted


def test_every_file_belongs_to_a_target() -> None:
    files = [*corpus.CORPUS.glob("*"), *corpus.CRASHES.glob("*")]
    assert {path.stem for path in files} <= set(TARGETS)


def test_what_is_written_is_read(tmp_path: Path) -> None:
    kept = [(b"abc", "accepted"), (b"\0", "too_short: # 7"), (bytes(5_000), "long"), (b"", "empty")]
    assert corpus.write(tmp_path, "x", kept) == 2
    assert corpus.read(tmp_path, "x") == [b"abc", b"\0"]
    assert corpus.read(tmp_path, "none") == []
    assert corpus.write(tmp_path, "y", []) == 0
