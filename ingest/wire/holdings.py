"""Holdings on the wire: which seqs of which member, as sorted runs, in requests and tellings.

    Holding("alice#1", (1, 40, 42, 57))      all of alice's up to 57, but not 41

`is_open` says that nothing beyond the last run is there; a sender that has more runs than fit in a
datagram sends the first of them as a holding that is not open, and says nothing about the rest.
"""

from collections.abc import Iterable
from typing import Annotated, Final

import msgspec

from ingest.wire import bounds
from ingest.wire.errors import WireError, WireReason
from ingest.wire.names import member_of
from ordering.runs import Runs
from ordering.values import MemberId

HOLDINGS: Final = 1_024
"""Members in one list: as many as a group may have."""

RUN_ENDS: Final = 8_192
"""Numbers in all the runs of one list: with nine bytes each they still fit a datagram, and a reader
never walks through more."""


HOLDING_FIXED_BYTES: Final = 8
"""What MessagePack takes for a holding beside its name and its numbers, at most."""


class Holding(msgspec.Struct, array_like=True, frozen=True):
    """What is held of one member."""

    member: Annotated[str, msgspec.Meta(max_length=bounds.MEMBER_BYTES)]
    runs: tuple[int, ...]
    is_open: bool = True


def check_holdings(holdings: tuple[Holding, ...]) -> None:
    """Refuse a list that is too long, names somebody badly, or whose runs are no runs."""
    if len(holdings) > HOLDINGS:
        raise WireError(WireReason.BAD_BODY, f"{len(holdings)} holdings; at most {HOLDINGS}")
    ends = sum(len(holding.runs) for holding in holdings)
    if ends > RUN_ENDS:
        raise WireError(WireReason.BAD_BODY, f"{ends} ends of runs; at most {RUN_ENDS}")
    if len({holding.member for holding in holdings}) < len(holdings):
        raise WireError(WireReason.BAD_BODY, "one member stands twice in a list of holdings")
    for holding in holdings:
        check_member(holding.member)
        _check_runs(holding.runs)


def check_member(pid: str) -> MemberId:
    """Give a pid that stands in a body, or refuse it."""
    try:
        return member_of(pid.encode("utf-8"))
    except UnicodeEncodeError:
        raise WireError(WireReason.BAD_BODY, f"the pid {pid!r} is not UTF-8") from None


def _check_runs(runs: tuple[int, ...]) -> None:
    """Runs are pairs, ascend, and never touch: one set of seqs has one spelling."""
    if len(runs) % 2:
        raise WireError(WireReason.BAD_BODY, f"{len(runs)} ends of runs; they come in pairs")
    before = -1
    for low, high in zip(runs[::2], runs[1::2], strict=True):
        if not before + 1 < low <= high <= bounds.SEQ_LAST:
            raise WireError(WireReason.BAD_BODY, f"the run {low} to {high} follows {before}")
        before = high


def holdings_of(held: Iterable[tuple[MemberId, Runs]], *, most_bytes: int) -> tuple[Holding, ...]:
    """Write runs as holdings, as many as fit; a member whose runs are cut is not open."""
    written: list[Holding] = []
    ends_left, bytes_left = RUN_ENDS, most_bytes
    for member, runs in held:
        bytes_left -= len(member.encode("utf-8")) + HOLDING_FIXED_BYTES
        kept: list[int] = []
        for low, high in zip(runs[::2], runs[1::2], strict=True):
            cost = _end_bytes(low) + _end_bytes(high)
            if cost > bytes_left or ends_left < 2:
                break
            kept += (low, high)
            bytes_left -= cost
            ends_left -= 2
        if bytes_left < 0 or len(written) == HOLDINGS or (runs and not kept):
            break
        written.append(Holding(member, tuple(kept), is_open=len(kept) == len(runs)))
    return tuple(written)


def _end_bytes(number: int) -> int:
    """Give what MessagePack takes for a number, at most."""
    return 3 if number < 2**16 else 9
