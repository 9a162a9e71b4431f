"""A copy of a state is read back whole or refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from sinks.errors import StateFileError
from sinks.state_files import read_states, write_states


def test_states_come_back_and_the_newest_stands(tmp_path: Path) -> None:
    write_states(tmp_path / "states", {0: b"old", 11: b"eleven"})
    write_states(tmp_path / "states", {0: b"new"})
    assert read_states(tmp_path / "states") == {0: b"new", 11: b"eleven"}
    assert read_states(tmp_path / "nowhere") == {}


@pytest.mark.parametrize("damage", [b"", b"x" * 40])
def test_a_damaged_file_is_refused_by_name(tmp_path: Path, damage: bytes) -> None:
    write_states(tmp_path, {3: b"state"})
    (tmp_path / "partition-3.state").write_bytes(damage)
    with pytest.raises(StateFileError, match=r"partition-3\.state is damaged"):
        read_states(tmp_path)


def test_an_unfinished_file_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "partition-0.unfinished").write_bytes(b"half")
    assert read_states(tmp_path) == {}
