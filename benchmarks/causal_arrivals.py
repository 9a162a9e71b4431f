"""Causal arrivals: sixteen members who stamp what they knew on everything they say.

- Each message is of one of the members, every one equally likely.
- Its vector names all members. The sender knew everything sent up to some number of messages ago,
  a whole number from 0 to 100, all equally likely, and never less than it knew before.
- Messages are captured in the order of sending, or with the jitter of arrivals.py.

    sent   1 a   2 b   3 a   4 c      c speaks and knew everything up to 2
    csn of 4:  a 2, b 2, c 1          the next of a that does not precede it is its second
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from random import Random
from typing import Final, NamedTuple

from benchmarks.arrivals import SEED
from benchmarks.decoding import BATCH, content_of
from ordering.stamps import CausalStamps
from ordering.values import MemberId, Message, MessageId

CAUSAL_MEMBERS: Final = 16
KNOWN_AFTER: Final = 100
"""How many messages may have been sent that a sender does not know of yet."""

CAUSAL_PIDS: Final = tuple(MemberId(f"member-{number}#1") for number in range(1, 17))


class CausalArrival(NamedTuple):
    """One message as numbers: the sender by its index, and the vector with an entry for all."""

    sender: int
    seq: int
    csn: tuple[int, ...]


def causal_conversation(
    count: int, *, jitter: int = 0, seed: int = SEED
) -> Iterator[CausalArrival]:
    """Give `count` arrivals, in the order in which they reach the log."""
    draw = Random(seed).random
    upcoming = [1] * CAUSAL_MEMBERS
    vectors = [tuple(upcoming)]
    """what a member knows who knows the first 0, 1, 2 ... messages"""
    known = [0] * CAUSAL_MEMBERS
    placed: list[tuple[int, int, CausalArrival]] = []
    for number in range(count):
        sender = int(draw() * CAUSAL_MEMBERS)
        known[sender] = max(known[sender], number - int(draw() * (KNOWN_AFTER + 1)))
        csn = list(vectors[known[sender]])
        csn[sender] = upcoming[sender]
        arrival = CausalArrival(sender, upcoming[sender], tuple(csn))
        placed.append((number + int(draw() * (jitter + 1)), number, arrival))
        upcoming[sender] += 1
        vectors.append(tuple(upcoming))
    return (arrival for _, _, arrival in sorted(placed))


def causal_batches(
    arrivals: Iterable[CausalArrival], *, size: int = BATCH
) -> Iterator[list[Message]]:
    """Give the messages in batches, each made when it is asked for."""
    rest = iter(arrivals)
    while batch := list(islice(rest, size)):
        yield [
            Message(
                MessageId(CAUSAL_PIDS[sender], seq),
                (),
                content_of(sender, seq),
                CausalStamps((*CAUSAL_PIDS,), csn),
                (seq, 0, seq),
            )
            for sender, seq, csn in batch
        ]
