"""The checked-in list of SHA-256 sums: which jars there must be, and what is in each of them.

The list has the form that `sha256sum --check` reads, with paths below the jars folder, so that
anyone can check it without us:

    cd .precede/jars && sha256sum --check ../../deploy/local/jars.sha256

Called by `deploy.local.jars` each time jars are handed out, and by `precede doctor`.
"""

import hashlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

SUMS_FILE = Path(__file__).with_name("jars.sha256")
_BETWEEN = "  "


class Altered(NamedTuple):
    """A file whose content is not the recorded one."""

    name: str
    recorded: str
    found: str


class Inventory(NamedTuple):
    """What a look at a jars folder found, against the list."""

    missing: tuple[str, ...]
    altered: tuple[Altered, ...]

    @property
    def is_complete(self) -> bool:
        """Whether every jar is there and as it was recorded."""
        return not self.missing and not self.altered


def read_sums(file: Path = SUMS_FILE) -> dict[str, str]:
    """Return the recorded sum of each jar, by its path below the jars folder."""
    sums: dict[str, str] = {}
    for line in file.read_text(encoding="utf-8").splitlines():
        if line:
            recorded, name = line.split(_BETWEEN, maxsplit=1)
            sums[name] = recorded
    return sums


def write_sums(folder: Path, *, file: Path = SUMS_FILE) -> int:
    """Record every jar below `folder`; return how many. Called only after a version was changed."""
    names = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.jar"))
    lines = [f"{sum_of(folder / name)}{_BETWEEN}{name}\n" for name in names]
    file.write_text("".join(lines), encoding="utf-8")
    return len(names)


def sum_of(file: Path) -> str:
    """Return the SHA-256 sum of a file."""
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


def take_inventory(
    folder: Path, *, sums: Mapping[str, str], names: Iterable[str] | None = None
) -> Inventory:
    """Compare `folder` with the list, or with those of its `names` that the caller needs.

    Files that the list does not name are left alone: they are never handed out.
    """
    missing: list[str] = []
    altered: list[Altered] = []
    for name in sums if names is None else names:
        try:
            found = sum_of(folder / name)
        except (FileNotFoundError, NotADirectoryError):
            missing.append(name)
            continue
        if found != sums[name]:
            altered.append(Altered(name=name, recorded=sums[name], found=found))
    return Inventory(missing=tuple(missing), altered=tuple(altered))
