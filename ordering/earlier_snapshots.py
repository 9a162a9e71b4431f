"""Snapshots of earlier formats, brought into today's: whoever upgrades goes on where they stopped.

1    a record for each recent delivery: [position, sender, seq, digest, at]
2    recent deliveries packed in columns (past_deliveries.py)
"""

from collections.abc import Sequence
from typing import Any, Final

RECORDS: Final = 1
COLUMNS: Final = 2
_RECENT: Final = 7
"""Where the recent deliveries stand in a snapshot of both formats."""


def upgraded(snapshot: Sequence[Any]) -> Sequence[Any]:
    """Give a snapshot in today's format, if it is of an earlier one; else as it is."""
    if not snapshot or snapshot[0] != RECORDS:
        return snapshot
    plain = list(snapshot)
    plain[0] = COLUMNS
    plain[_RECENT] = _packed(plain[_RECENT])
    return plain


def _packed(records: Sequence[Sequence[Any]]) -> list[Any]:
    """Turn records into columns; they are the last deliveries, without a gap, oldest first."""
    times: list[int] = []
    for *_, at in records:
        if times and times[-2] == at:
            times[-1] += 1
        else:
            times += (at, 1)
    senders = [sender for _, sender, *_ in records]
    seqs = [seq for _, _, seq, *_ in records]
    return [times, senders, seqs, b"".join(digest for *_, digest, _ in records)]
