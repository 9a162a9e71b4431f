"""A file with a secret is its owner's, or root's and its group's, and nobody else's."""

import os
import stat
from pathlib import Path

import pytest

from ingest.closed_file import why_open


def status(mode: int, *, owner: int, kind: int = stat.S_IFREG) -> os.stat_result:
    return os.stat_result((kind | mode, 0, 0, 1, owner, 0, 0, 0, 0, 0))


PATH = Path("/etc/precede/password")


@pytest.mark.parametrize(
    ("user", "owner", "mode", "maybe_advice"),
    [
        (185, 185, 0o600, None),
        (185, 185, 0o400, None),
        (185, 185, 0o640, "chmod 600"),
        (185, 185, 0o604, "chmod 600"),
        (185, 0, 0o440, None),
        (185, 0, 0o640, None),
        (185, 0, 0o444, "chmod 600"),
        (0, 0, 0o640, "chmod 600"),
        (185, 1_000, 0o600, "chown 185"),
    ],
)
def test_who_may_read_it_besides_its_user_decides(
    monkeypatch: pytest.MonkeyPatch, user: int, owner: int, mode: int, maybe_advice: str | None
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: user)
    maybe_problem = why_open(PATH, status(mode, owner=owner))
    if maybe_advice is None:
        assert maybe_problem is None
    else:
        assert f"{maybe_advice} {PATH}" in str(maybe_problem)


def test_a_folder_is_no_file() -> None:
    assert "name the file itself" in str(why_open(PATH, status(0o700, owner=0, kind=stat.S_IFDIR)))
