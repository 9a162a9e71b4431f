"""How much memory a child and what it started have had at most, as the kernel counts it."""

from __future__ import annotations

import re
from pathlib import Path

_PEAK = re.compile(r"^VmHWM:\s+(\d+) kB", re.MULTILINE)


def peak_megabytes(session: int) -> dict[str, int]:
    """The largest process of each program, such as `java` and `python`, of a child's session.

    Not of its group: Spark's Python workers have a group of their own.
    """
    peaks: dict[str, int] = {}
    for process in Path("/proc").glob("[0-9]*"):
        try:
            fields = (process / "stat").read_text().rpartition(")")[2].split()
            name = (process / "comm").read_text().strip()
            maybe_peak = _PEAK.search((process / "status").read_text())
        except (FileNotFoundError, ProcessLookupError):
            continue  # it has ended
        if int(fields[3]) == session and maybe_peak is not None:
            peaks[name] = max(peaks.get(name, 0), int(maybe_peak[1]) // 1_024)
    return peaks
