"""Which incarnation a member takes when its process starts.

A member that starts again with nothing must not repeat its ids, so it takes a higher incarnation
each time. `counted_incarnation` keeps the number in a file: small numbers that people can read.
Where nothing survives a restart, `clock_incarnation` takes the seconds since 2024: always higher,
as long as the clock does not go back and a start takes more than a second.
"""

import os
from pathlib import Path
from random import Random
from typing import Final

from ingest.wire.bounds import INCARNATION_LAST
from members.errors import IncarnationError
from ordering.values import INCARNATION_MARK, MemberId, split_pid

EPOCH_S: Final = 1_704_067_200
"""2024-01-01: four billion seconds from there are enough until 2160."""

MOST_STEPS_AHEAD: Final = 8
"""Two processes under one pid both take a later incarnation; drawn from so many, so that they do
not meet again and again."""

_MICROSECONDS_PER_SECOND: Final = 1_000_000


def counted_incarnation(path: Path) -> int:
    """Count one more start in a file and give the number. On disk before it is given."""
    try:
        text = path.read_text(encoding="ascii") if path.exists() else "0"
        last = int(text)
        if not 0 <= last < INCARNATION_LAST:
            raise ValueError(text)
        beside = path.with_name(f"{path.name}.new")
        with beside.open("w", encoding="ascii") as file:
            file.write(f"{last + 1}\n")
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    except OSError as error:
        raise IncarnationError(
            f"can't count an incarnation in {path}: {error.strerror or error};"
            " give a file that can be written"
        ) from None
    except ValueError:
        raise IncarnationError(
            f"{path} does not hold the number of an incarnation; write the last one that was used"
            f" (1 to {INCARNATION_LAST - 1}) into it"
        ) from None
    return last + 1


def clock_incarnation(now: int) -> int:
    """Give an incarnation for a start at this instant (microseconds since the epoch)."""
    return max(1, now // _MICROSECONDS_PER_SECOND - EPOCH_S)


def later_pid(pid: MemberId, *, known: int, rng: Random) -> MemberId:
    """Give a pid of the same name with a later incarnation than its own and the known one."""
    name, incarnation = split_pid(pid)
    step = 1 + rng.randrange(MOST_STEPS_AHEAD)
    return MemberId(f"{name}{INCARNATION_MARK}{max(incarnation, known) + step}")
