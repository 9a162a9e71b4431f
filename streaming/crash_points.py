"""Named places at which the job kills itself when a test asks for it.

`PRECEDE_CRASH_AT=name:n` ends this process with SIGKILL at the n-th passing of the point (n counts
from 1), as a power cut would. Without that variable a point costs one look into a dictionary.
"""

from __future__ import annotations

import os
import signal
from enum import StrEnum

VARIABLE = "PRECEDE_CRASH_AT"


class CrashPoint(StrEnum):
    """Every place where a crash leaves something half done."""

    AFTER_DELIVERIES_COMMIT = "after-deliveries-commit"
    AFTER_DELTA_COMMIT = "after-delta-commit"


_passed: dict[CrashPoint, int] = {}


def pass_crash_point(point: CrashPoint) -> None:
    """Called by the job at `point`; does not return if a test planted a crash here."""
    maybe_planted = os.environ.get(VARIABLE)
    if maybe_planted is None:
        return
    name, _, turn = maybe_planted.partition(":")
    _passed[point] = _passed.get(point, 0) + 1
    if name == point and _passed[point] == int(turn or 1):
        os.kill(os.getpid(), signal.SIGKILL)
