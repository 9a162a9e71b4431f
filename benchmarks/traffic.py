"""Traffic: the raw log that the job's benchmarks order.

Messages of 148 bytes in many groups, five members each, drawn from one seed. Nine in ten answer one
of the last 20 messages of their group. A message sent as number i reaches the log at place
i + delay, the delay a whole number from 0 to the jitter, all equally likely. (`arrivals.py` draws
the same for one group, as numbers; here they are bytes, as an agent would have captured them.)
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from random import Random
from typing import Final, NamedTuple

from ingest.wire.envelope import Envelope, Kind, encode
from ordering.values import GroupId, MemberId, MessageId

MESSAGE_BYTES: Final = 148
MEMBERS: Final = tuple(MemberId(f"member-{number}#1") for number in range(5))
ANSWERING: Final = 0.9
RECENT: Final = 20
SEED: Final = 1


class Sent(NamedTuple):
    """One message of the log: its group and its bytes."""

    group: str
    content: bytes


class Traffic:
    """Gives the log piece by piece: the conversation goes on where the last piece ended."""

    def __init__(self, *, groups: int, jitter: int, seed: int = SEED) -> None:
        self._dice = Random(seed)
        self._names = [GroupId(f"group-{number:07d}") for number in range(groups)]
        self._spoken: dict[tuple[int, int], int] = {}
        self._recent: dict[int, deque[MessageId]] = {}
        self._jitter = jitter

    def piece(self, messages: int) -> list[Sent]:
        """Give the next messages in the order of the log; none is left for a later piece."""
        draw = self._dice.random
        width = self._jitter + 1
        placed = [
            (number + int(draw() * width), number, sent)
            for number, sent in enumerate(self._send(messages))
        ]
        placed.sort(key=lambda one: one[:2])
        return [sent for _, _, sent in placed]

    def _send(self, messages: int) -> Iterator[Sent]:
        draw = self._dice.random
        for _ in range(messages):
            at = int(draw() * len(self._names))
            member = int(draw() * len(MEMBERS))
            seq = self._spoken[at, member] = self._spoken.get((at, member), 0) + 1
            recent = self._recent.setdefault(at, deque(maxlen=RECENT))
            is_answer = recent and draw() < ANSWERING
            parents = (recent[int(draw() * len(recent))],) if is_answer else ()
            recent.append(MessageId(MEMBERS[member], seq))
            yield Sent(self._names[at], _encoded(self._names[at], member, seq, parents))


def _encoded(group: GroupId, member: int, seq: int, parents: tuple[MessageId, ...]) -> bytes:
    bare = Envelope(Kind.MESSAGE, group, MEMBERS[member], seq, parents, b"", 1_000_000 * seq)
    padding = bytes(max(0, MESSAGE_BYTES - len(encode(bare))))
    return encode(bare._replace(payload=padding))
