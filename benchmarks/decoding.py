"""Decoding: from rows of numbers to the values that are ordered, in batches.

The job makes a message from bytes a moment before the engine sees it. So does a benchmark, outside
its clock: a pile of messages made long before would be read from slow memory, which no host does.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Final

from benchmarks.arrivals import MEMBERS, NOBODY, Arrival
from ordering.values import MemberId, Message, MessageId

CONTENT_BYTES: Final = 148
BATCH: Final = 1_000
"""Messages of one group in one call: what a busy group has in a batch of the job."""

PIDS: Final = tuple(MemberId(f"member-{number}#1") for number in range(1, MEMBERS + 1))
"""One text for each member, as in the job, where the decoder remembers the names it has seen."""


def decoded(arrivals: Iterable[Arrival]) -> list[Message]:
    """Make the messages of a batch, no value shared with another message but the names."""
    return [
        Message(
            MessageId(PIDS[sender], seq),
            () if parent_sender == NOBODY else (MessageId(PIDS[parent_sender], parent_seq),),
            content_of(sender, seq),
            None,
            (seq, 0, seq),
        )
        for sender, seq, parent_sender, parent_seq in arrivals
    ]


def content_of(sender: int, seq: int) -> bytes:
    """Give a message's bytes: as long as they must be, and never the same for two messages."""
    return b"%0*d" % (CONTENT_BYTES, seq * MEMBERS + sender)


def batches(arrivals: Iterable[Arrival], *, size: int = BATCH) -> Iterator[list[Message]]:
    """Give the messages in batches, each made when it is asked for."""
    rest = iter(arrivals)
    while batch := list(islice(rest, size)):
        yield decoded(batch)
