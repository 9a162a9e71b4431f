"""Keys come from a file that nobody else may read, and a bad file tells nothing of them."""

import json
import os
import stat
from pathlib import Path

import pytest

from ingest.authentication.errors import KeysError
from ingest.authentication.key_file import (
    Keys,
    create_keys,
    new_keys,
    read_keys,
    replace_keys,
    rotated,
)
from ingest.wire.bounds import KEY_ID_LAST
from tests.ingest.keys import key_file, keys


def test_what_is_written_is_read(tmp_path: Path) -> None:
    for held in (keys(1), keys(3, 4), keys(1)._replace(maybe_group="g", maybe_member="alice")):
        assert read_keys(key_file(tmp_path, held)) == held


def test_a_new_file_is_its_owners_only_whatever_the_mask(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        path = key_file(tmp_path, new_keys(made_at=1))
    finally:
        os.umask(before)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o666, 0o610])
def test_a_file_that_others_may_use_is_refused_with_what_to_do(tmp_path: Path, mode: int) -> None:
    path = key_file(tmp_path, keys(1))
    path.chmod(mode)
    with pytest.raises(KeysError, match=f"{mode:04o}.*chmod 600"):
        read_keys(path)


def test_a_link_to_a_closed_file_is_followed_and_its_target_is_what_counts(tmp_path: Path) -> None:
    path = key_file(tmp_path, keys(1))
    link = tmp_path / "link"
    link.symlink_to(path)
    assert read_keys(link) == keys(1)
    path.chmod(0o644)
    with pytest.raises(KeysError, match="0644"):
        read_keys(link)


def test_a_file_that_is_missing_or_none_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(KeysError, match="precede keys new"):
        read_keys(tmp_path / "none")
    with pytest.raises(KeysError, match="can't read"):
        read_keys(tmp_path)


def test_keys_are_never_overwritten(tmp_path: Path) -> None:
    path = key_file(tmp_path, keys(1))
    with pytest.raises(KeysError, match="never overwritten"):
        create_keys(path, keys(2))
    assert read_keys(path) == keys(1)


def test_no_damage_is_taken_for_keys_and_no_error_shows_a_secret(tmp_path: Path) -> None:
    path = key_file(tmp_path, keys(1, 2))
    whole = path.read_bytes()
    secret = keys(1).newest.secret.reveal().hex()
    document = json.loads(whole)
    wrong = [whole[:cut] for cut in range(0, len(whole) - 2, 7)]
    wrong += [b"[" * 50_000, b"\xff" * 100, b"x" * 100_000]
    changes: tuple[dict[str, object], ...] = (
        {"format": 2}, {"keys": []}, {"keys": document["keys"] * 2}, {"member": "alice"},
        {"more": 1}, {"keys": [document["keys"][0] | {"id": 0}]},
        {"keys": [document["keys"][0] | {"secret": secret[:-2]}]},
        {"keys": [document["keys"][0] | {"secret": f"zz{secret}"}]},
    )  # fmt: skip
    wrong += [json.dumps(document | change).encode() for change in changes]
    for content in wrong:
        path.write_bytes(content)
        with pytest.raises(KeysError) as caught:
            read_keys(path)
        assert secret[:8] not in str(caught.value)
        assert caught.value.__cause__ is None


def test_a_rotation_keeps_the_newest_old_key_and_adds_one() -> None:
    first = new_keys(made_at=1)
    second = rotated(first, made_at=2)
    third = rotated(second, made_at=3)
    assert [key.id for key in second.keys] == [1, 2]
    assert [(key.id, key.made_at) for key in third.keys] == [(2, 2), (3, 3)]
    assert third.keys[0] == second.keys[1]
    assert third.newest.secret != second.newest.secret


def test_ids_begin_again_after_the_last() -> None:
    last = Keys((keys(1).newest._replace(id=KEY_ID_LAST),))
    assert rotated(last, made_at=2).newest.id == 1


def test_a_file_is_replaced_whole_with_its_permissions(tmp_path: Path) -> None:
    path = key_file(tmp_path, keys(1))
    path.chmod(0o400)
    replace_keys(path, keys(1, 2))
    assert read_keys(path) == keys(1, 2)
    assert stat.S_IMODE(path.stat().st_mode) == 0o400
    assert [entry.name for entry in tmp_path.iterdir()] == ["keys"]


def _seen_as(monkeypatch: pytest.MonkeyPatch, *, owner: int, mode: int, user: int) -> None:
    """Let every file look as if `owner` had it with this mode, and this process be `user`'s."""
    real = os.fstat

    def fake(descriptor: int) -> os.stat_result:
        values = list(real(descriptor))
        values[0], values[4] = stat.S_IFREG | mode, owner
        return os.stat_result(values)

    monkeypatch.setattr(os, "fstat", fake)
    monkeypatch.setattr(os, "geteuid", lambda: user)


def test_roots_file_may_be_read_by_its_group_and_by_nobody_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = key_file(tmp_path, keys(1))
    _seen_as(monkeypatch, owner=0, mode=0o440, user=185)
    assert read_keys(path) == keys(1)
    for mode in (0o444, 0o460, 0o450):
        _seen_as(monkeypatch, owner=0, mode=mode, user=185)
        with pytest.raises(KeysError, match="so that others may use it"):
            read_keys(path)
    _seen_as(monkeypatch, owner=0, mode=0o640, user=0)
    with pytest.raises(KeysError, match="chmod 600"):
        read_keys(path)


def test_another_users_file_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = key_file(tmp_path, keys(1))
    _seen_as(monkeypatch, owner=1_000, mode=0o600, user=185)
    with pytest.raises(KeysError, match="chown 185"):
        read_keys(path)
