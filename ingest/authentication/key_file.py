"""The file that keys live in: JSON, at most two live keys, its permissions checked before a read.

    {"format": 1, "group": null, "member": null,
     "keys": [{"id": 7, "made_at": 1763300000000000, "secret": "64 hexadecimal digits"}, ...]}

A site's file has neither group nor member: every key of every group follows from it. A file for one
group, or for one member of one group, holds what was derived for it and can't be widened again
(see `derivation.py`). Keys stand in the order of their making; the last is the newest.

Written and rotated by `precede keys`, read by the keyring. Who may read it besides its owner
`ingest/closed_file.py` says.
"""

import os
import secrets
import stat
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from ingest.authentication import bounds
from ingest.authentication.errors import KeysError
from ingest.authentication.secret import Secret
from ingest.closed_file import why_open
from ingest.wire.bounds import KEY_ID_LAST

FORMAT: Final = 1
OWNER_ONLY: Final = 0o600


class Key(NamedTuple):
    """One key: its id in the envelope, when it was made (microseconds), and the secret."""

    id: int
    made_at: int
    secret: Secret


class Keys(NamedTuple):
    """What a key file holds. `maybe_group` and `maybe_member` say how far it reaches."""

    keys: tuple[Key, ...]
    maybe_group: str | None = None
    maybe_member: str | None = None

    @property
    def newest(self) -> Key:
        """The key to send with."""
        return self.keys[-1]


class _WrittenKey(msgspec.Struct, forbid_unknown_fields=True):
    id: int
    made_at: int
    secret: str


class _Written(msgspec.Struct, forbid_unknown_fields=True):
    format: int
    group: str | None
    member: str | None
    keys: list[_WrittenKey]


def new_keys(*, made_at: int) -> Keys:
    """Give a site's first key, from the system's own random source."""
    return Keys((Key(1, made_at, _drawn()),))


def rotated(keys: Keys, *, made_at: int) -> Keys:
    """Give the keys with a new one at the end; only the newest of the old ones stays beside it."""
    following = keys.newest.id % KEY_ID_LAST + 1
    kept = keys.keys[-(bounds.LIVE_KEYS - 1) :]
    return keys._replace(keys=(*kept, Key(following, made_at, _drawn())))


def read_keys(path: Path) -> Keys:
    """Read a key file. Raises KeysError if it is missing, open to others, or not such a file."""
    try:
        with path.open("rb") as file:
            maybe_problem = why_open(path, os.fstat(file.fileno()))
            if maybe_problem is not None:
                raise KeysError(f"the key file {path} {maybe_problem}")
            raw = file.read(bounds.KEY_FILE_BYTES + 1)
    except FileNotFoundError:
        raise KeysError(
            f"the key file {path} does not exist; make it with `precede keys new --file {path}`"
        ) from None
    except OSError as error:
        raise KeysError(f"can't read the key file {path}: {error.strerror or error}") from None
    maybe_keys = None if len(raw) > bounds.KEY_FILE_BYTES else _parse(raw)
    if maybe_keys is None:
        raise KeysError(
            f"{path} is not a key file of Precede, or it is damaged; restore it from a copy, or "
            "make another with `precede keys new`"
        )
    return maybe_keys


def create_keys(path: Path, keys: Keys) -> None:
    """Write a key file that does not exist yet, for its owner only."""
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, OWNER_ONLY)
    except FileExistsError:
        raise KeysError(
            f"{path} exists, and keys are never overwritten; rotate them with "
            "`precede keys rotate`, or name another file"
        ) from None
    except OSError as error:
        raise KeysError(f"can't write the key file {path}: {error.strerror or error}") from None
    _write(descriptor, keys)


def replace_keys(path: Path, keys: Keys) -> None:
    """Put new keys in the place of old ones, at once: a reader sees either file whole."""
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    beside.unlink(missing_ok=True)
    create_keys(beside, keys)
    try:
        before = path.stat()
        if (before.st_uid, before.st_gid) != (os.geteuid(), os.getegid()):
            os.chown(beside, before.st_uid, before.st_gid)
        beside.chmod(stat.S_IMODE(before.st_mode))
        beside.replace(path)
    except OSError as error:
        beside.unlink(missing_ok=True)
        raise KeysError(
            f"can't replace the key file {path}: {error.strerror or error}; run this as its owner"
        ) from None


def _write(descriptor: int, keys: Keys) -> None:
    written = _Written(
        format=FORMAT,
        group=keys.maybe_group,
        member=keys.maybe_member,
        keys=[_WrittenKey(k.id, k.made_at, k.secret.reveal().hex()) for k in keys.keys],
    )
    with os.fdopen(descriptor, "wb") as file:
        file.write(msgspec.json.format(msgspec.json.encode(written)) + b"\n")
        file.flush()
        os.fsync(file.fileno())


def _parse(raw: bytes) -> Keys | None:
    """Take the file apart; None if anything is wrong: what exactly might tell of a secret."""
    try:
        written = msgspec.json.decode(raw, type=_Written)
        keys = tuple(Key(k.id, k.made_at, Secret(bytes.fromhex(k.secret))) for k in written.keys)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return None
    is_sound = (
        written.format == FORMAT
        and 1 <= len(keys) <= bounds.LIVE_KEYS
        and len({key.id for key in keys}) == len(keys)
        and all(1 <= key.id <= KEY_ID_LAST for key in keys)
        and all(len(key.secret.reveal()) == bounds.SECRET_BYTES for key in keys)
        and not (written.group is None and written.member is not None)
    )
    return Keys(keys, written.group, written.member) if is_sound else None


def _drawn() -> Secret:
    return Secret(secrets.token_bytes(bounds.SECRET_BYTES))
