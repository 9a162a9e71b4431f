"""The targets by name: every parser of what comes from outside, and of what lies on disks.

A module of this folder has `TARGETS`; to add a target, add it there.
"""

from __future__ import annotations

from typing import Final

from tests.fuzz.target import Target
from tests.fuzz.targets import disk, edge, files, job, mapping, member, wire

TARGETS: Final[dict[str, Target]] = {
    target.name: target
    for module in (wire, edge, files, mapping, disk, job, member)
    for target in module.TARGETS
}
