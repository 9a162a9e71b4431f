"""How much memory the processes of a run have, by what they are; Linux alone tells it this way."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

_PAGE_BYTES: Final = os.sysconf("SC_PAGE_SIZE")
_PROCESSES: Final = Path("/proc")


def resident_bytes(root: int) -> dict[str, int]:
    """Resident bytes of a process and all that it started, summed by the name of their program."""
    parents: dict[int, int] = {}
    names: dict[int, str] = {}
    pages: dict[int, int] = {}
    for entry in _PROCESSES.iterdir():
        if not entry.name.isdecimal():
            continue
        try:
            name, _, rest = (entry / "stat").read_text().partition(" (")[2].rpartition(") ")
            resident = (entry / "statm").read_text().split()[1]
        except (OSError, IndexError):
            continue  # it ended meanwhile
        number = int(entry.name)
        parents[number] = int(rest.split()[1])
        names[number] = name
        pages[number] = int(resident)
    sums: dict[str, int] = {}
    for number in pages:
        if _descends(number, root, parents):
            kind = names[number].split("/")[0]
            sums[kind] = sums.get(kind, 0) + pages[number] * _PAGE_BYTES
    return sums


def _descends(number: int, root: int, parents: dict[int, int]) -> bool:
    while number > 1:
        if number == root:
            return True
        number = parents.get(number, 0)
    return False
