"""Members that talk and a network that mixes it up: what the property tests feed to engines.

A world is a list of messages in the order of sending, made by members who have seen some of what
was sent before. Arrivals are those messages lost, repeated and shuffled. Everything is drawn from a
random source that hypothesis gives and can shrink.
"""

from __future__ import annotations

from random import Random

from hypothesis import strategies as st

from ordering.policy import GroupPolicy
from ordering.stamps import CausalStamps, MessageType, ObjectStamps, SignificantStamps, Stamps
from ordering.values import MemberId, Message, MessageId

NAMES = ("a#1", "b#1", "c#1", "d#1")
OPERATIONS = ("read", "write", "note")
CONFLICTS = frozenset({("read", "write"), ("write", "read"), ("write", "write")})
MOST_MESSAGES = 24
NO_EXPIRY_US = 10**12
"""A delta that never runs out within a test."""

DISCIPLINES = (
    "none",
    "fifo",
    "semantic",
    "semantic+fifo",
    "causal",
    "significant",
    "objects",
    "total",
)


class Talker:
    """One honest member: it has seen a part of the world and stamps what it knows."""

    def __init__(self, name: str, discipline: str, rng: Random) -> None:
        self.name = MemberId(name)
        self.seen: list[Message] = []
        self._discipline = discipline
        self._rng = rng
        self._seq = 0
        self._upcoming: dict[str, int] = {}
        self._vector: dict[str, tuple[int, int, int]] = {}

    def see(self, message: Message) -> None:
        """Get to know a message of another member."""
        self.seen.append(message)
        stamps = message.stamps
        self._raise(message.id.sender, message.id.seq + 1)
        if isinstance(stamps, CausalStamps):
            for member, upcoming in zip(stamps.members, stamps.csn, strict=True):
                self._raise(member, upcoming)
        if isinstance(stamps, ObjectStamps):
            self._merge(message.id.sender, (stamps.cid, stamps.iseq, message.id.seq))
            for member, known in zip(stamps.members, stamps.vector, strict=True):
                self._merge(member, known)

    def _raise(self, member: str, upcoming: int) -> None:
        self._upcoming[member] = max(upcoming, self._upcoming.get(member, 1))

    def _merge(self, member: str, known: tuple[int, int, int]) -> None:
        if member != self.name:
            old = self._vector.get(member, (0, 0, 0))
            self._vector[member] = (*max(known[:2], old[:2]), max(known[2], old[2]))

    def speak(self, *, now: int) -> Message:
        """Say something that may answer what was seen."""
        self._seq += 1
        known = [message.id for message in self.seen]
        count = self._rng.choice((0, 1, 1, 1, 2)) if known else 0
        parents = tuple(dict.fromkeys(self._rng.choice(known) for _ in range(count)))
        message_id = MessageId(self.name, self._seq)
        content = f"{self.name}:{self._seq}".encode()
        message = Message(message_id, parents, content, self._stamp(now=now))
        self.seen.append(message)
        return message

    def _stamp(self, *, now: int) -> Stamps | None:
        if self._discipline == "causal":
            self._upcoming[self.name] = self._seq
            return CausalStamps(tuple(self._upcoming), tuple(self._upcoming.values()))
        if self._discipline == "significant":
            return self._significant(now)
        if self._discipline == "objects":
            return self._objects()
        return None

    def _significant(self, now: int) -> SignificantStamps:
        latest: dict[str, int] = {}
        for message in self.seen:
            if self._rng.random() < 0.5 and isinstance(message.stamps, SignificantStamps):
                latest[message.id.sender] = message.stamps.sent_at
        own = latest.pop(self.name, 0)
        kind = self._rng.choice(tuple(MessageType))
        return SignificantStamps(
            now, tuple(latest), tuple(latest.values()), own, message_type=kind.value
        )

    def _objects(self) -> ObjectStamps:
        return ObjectStamps(
            cid=self._seq // 4,
            iseq=self._seq,
            is_response=self._rng.random() < 0.3,
            operation=self._rng.choice(OPERATIONS),
            targets=tuple(self._rng.sample(NAMES, self._rng.choice((0, 1, 2)))),
            members=tuple(self._vector),
            vector=tuple(self._vector.values()),
        )


def talk(discipline: str, rng: Random) -> list[Message]:
    """Let a few members talk; each sees what the others sent with some luck, in order."""
    names = NAMES[: rng.randint(1, len(NAMES))]
    talkers = {name: Talker(name, discipline, rng) for name in names}
    sent: list[Message] = []
    for now in range(1, rng.randint(1, MOST_MESSAGES) + 1):
        speaker = talkers[rng.choice(names)]
        known = {message.id for message in speaker.seen}
        for message in sent:
            if message.id not in known and rng.random() < 0.3:
                speaker.see(message)
        sent.append(speaker.speak(now=now))
    return sent


def mix(messages: list[Message], rng: Random, *, loss: float = 0.1) -> list[Message]:
    """Lose some, repeat some, and shuffle."""
    arrivals = [message for message in messages if rng.random() >= loss]
    arrivals += [rng.choice(messages) for _ in range(rng.randint(0, 4))]
    rng.shuffle(arrivals)
    return arrivals


def worlds() -> st.SearchStrategy[Random]:
    """Give random sources that hypothesis can shrink."""
    return st.randoms(use_true_random=False)


def policy_of(discipline: str) -> GroupPolicy:
    """Make the policy under which the naive model's definition holds at all times."""
    return GroupPolicy(discipline=discipline, conflicts=CONFLICTS, delta_us=NO_EXPIRY_US)
