"""Keys for the tests of authentication: fixed secrets, never used by anyone."""

from pathlib import Path

from ingest.authentication.key_file import Key, Keys, create_keys
from ingest.authentication.keyring import Keyring
from ingest.authentication.secret import Secret


def keys(*ids: int) -> Keys:
    """Give a site's keys with these ids; the same ids give the same secrets."""
    return Keys(tuple(Key(number, number * 1_000, Secret(bytes([number] * 32))) for number in ids))


def key_file(folder: Path, held: Keys, name: str = "keys") -> Path:
    """Write a key file and give its path."""
    path = folder / name
    path.unlink(missing_ok=True)
    create_keys(path, held)
    return path


def keyring(folder: Path, *ids: int) -> Keyring:
    """Give a keyring of a file with these ids."""
    return Keyring(key_file(folder, keys(*(ids or (1,)))))
