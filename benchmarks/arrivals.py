"""Arrivals: what five members say to each other, in the order in which it reaches the log.

The conversation, all of it drawn from one seed:

- Each message is of one of the members, every one equally likely.
- Nine in ten messages answer one earlier message, equally likely any of the last 100 sent.
  The others answer nothing.
- A message sent as number i reaches the log at place i + delay, where the delay is a whole number
  from 0 to the jitter, all equally likely. Where two fall on one place, the earlier sent is first.

    sent       1  2  3  4  5        jitter 3
    delay      2  0  3  0  1
    place      3  2  6  4  6
    arrivals   2  1  4  3  5

An arrival is a row of plain numbers. It becomes a message (decoding.py) just before it is ordered,
as in the job, where a message is made from bytes a moment before the engine sees it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from random import Random
from typing import Final, NamedTuple

MEMBERS: Final = 5
ANSWERING: Final = 0.9
"""The share of messages that answer another."""
RECENT: Final = 100
"""How many messages back an answer may reach."""
CLOSE: Final = 10
"""The same in a closer conversation: in real channels nine in ten answers reach no further back."""
FAR: Final = 1_000
"""The same where answers come late, so that few of them overtake what they answer."""
SEED: Final = 1

NOBODY: Final = -1
"""Stands for the sender of a parent that there is not."""


class Arrival(NamedTuple):
    """One message as numbers: sender and parent's sender by index, NOBODY for no parent."""

    sender: int
    seq: int
    parent_sender: int
    parent_seq: int


def conversation(
    count: int, *, jitter: int, recent: int = RECENT, seed: int = SEED
) -> Iterator[Arrival]:
    """Give `count` arrivals of a conversation, using memory for the jitter's width alone.

    1. Draw the next message and put it into the bucket of its place.
    2. The bucket of the place that is now past can get no more: give it, in the order of sending.
    """
    draw = Random(seed).random
    spoken = [0] * MEMBERS
    sent: deque[tuple[int, int]] = deque(maxlen=recent)
    buckets: list[list[Arrival]] = [[] for _ in range(jitter + 1)]
    for number in range(count + jitter):
        if number < count:
            sender = int(draw() * MEMBERS)
            spoken[sender] += 1
            parent = (NOBODY, 0)
            if sent and draw() < ANSWERING:
                parent = sent[int(draw() * len(sent))]
            sent.append((sender, spoken[sender]))
            place = number + int(draw() * (jitter + 1))
            buckets[place % (jitter + 1)].append(Arrival(*sent[-1], *parent))
        bucket = buckets[number % (jitter + 1)]
        yield from bucket
        bucket.clear()


def in_order(count: int) -> Iterator[Arrival]:
    """Give messages of all members in turn, none lost or overtaken, each answering the last one."""
    parent = (NOBODY, 0)
    for number in range(count):
        own = (number % MEMBERS, number // MEMBERS + 1)
        yield Arrival(*own, *parent)
        parent = own


def backwards(count: int) -> Iterator[Arrival]:
    """Give one chain with its end first, so that every message arrives before its parent.

    1 <- 2 <- 3 <- 4   arrives as   4 3 2 1
    """
    return reversed(list(in_order(count)))
