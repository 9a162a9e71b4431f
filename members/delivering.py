"""Delivering: the group's engine at work in a member, from datagrams to what the program is told.

The engine alone decides what is delivered and when; this is the same engine that the service runs.
Here its events become the program's: a message's payload and its place among the deliveries, and
whom the held ones wait for.
"""

from enum import Enum
from itertools import islice
from typing import Final, NamedTuple

from ingest.wire.envelope import Envelope, message_of
from members import events as told
from members.confirming import Confirming, is_control
from members.events import Effects
from members.holdings import Holdings
from members.post import Post
from members.stamping import make_stamper
from ordering import runs as run
from ordering.engine import Engine
from ordering.events import Delivered, Event, Held, Quarantined, Reason
from ordering.policy import GroupPolicy
from ordering.requirement import Measure, Requirement, UpTo
from ordering.runs import Runs
from ordering.stamps import CausalStamps, Stamps
from ordering.values import GroupId, MemberId, MessageId

NOT_FOR_GOOD: Final = frozenset(
    {
        Reason.HELD_BY_SENDER_FULL,
        Reason.HELD_BY_GROUP_FULL,
        Reason.MEMBERS_FULL,
        Reason.INCARNATIONS_FULL,
        Reason.SEQUENCE_JUMP,
    }
)
"""Refusals that may be over one day: such a message does not count as received."""

COUNTED_BY_SEQ: Final = frozenset({Measure.DELIVERED, Measure.CAPTURED, Measure.PRECEDING})


class Fate(Enum):
    """What became of a message that came for the first time."""

    TAKEN = "taken"
    REFUSED = "refused"
    REFUSED_FOR_GOOD = "refused_for_good"


class HeldMessage(NamedTuple):
    """A message that is here and must wait, for a program that shows such."""

    id: MessageId
    parents: tuple[MessageId, ...]
    payload: bytes
    waiting_for: Requirement


class Delivering:
    """One group's deliveries."""

    def __init__(
        self,
        group: GroupId,
        pid: MemberId,
        policy: GroupPolicy,
        *,
        post: Post,
        maybe_confirming: Confirming | None = None,
    ) -> None:
        self.engine = Engine(policy)
        self._pid = pid
        self._maybe_confirming = maybe_confirming
        self.next_seq = 1
        self._group = group
        self._policy = policy
        self._post = post
        self._stamper = make_stamper(policy.discipline, pid)
        self._position = 0

    def stamp(self, *, dst: tuple[str, ...], buf: int) -> tuple[MessageId, Stamps | None]:
        """Give the id and the stamps of the next message of this member."""
        self.next_seq += 1
        return self._stamper.stamp(dst=dst, buf=buf)

    def renew(self, pid: MemberId, holdings: Holdings) -> None:
        """Count from 1 again, under another pid, with the same knowledge."""
        self._pid = pid
        self.next_seq = 1
        self._stamper = make_stamper(self._policy.discipline, pid, accepted=holdings.had.items())

    def receive(
        self, envelope: Envelope, datagram: bytes, *, now: int, out: Effects
    ) -> tuple[Fate, list[MemberId]]:
        """Give a fresh message to the engine; give its fate, and whom anything now waits for."""
        message = message_of(envelope, datagram)
        events = self.engine.receive(message, now=now)
        fate = Fate.TAKEN
        for event in events:
            if isinstance(event, Quarantined) and event.message.id == message.id:
                is_for_good = event.reason not in NOT_FOR_GOOD
                fate = Fate.REFUSED_FOR_GOOD if is_for_good else Fate.REFUSED
        return fate, self._tell(events, envelope, now=now, out=out)

    def advance(self, *, now: int, out: Effects) -> list[MemberId]:
        """Give up what is due by the group's give-up rule; give whom anything now waits for."""
        maybe_deadline = self.engine.next_deadline()
        if maybe_deadline is None or maybe_deadline > now:
            return []
        return self._tell(self.engine.advance(now), None, now=now, out=out)

    def needed(self, holdings: Holdings) -> dict[MemberId, Runs]:
        """Give what held messages wait for and was not received."""
        needed: dict[MemberId, Runs] = {}
        for missing in self.engine.missing():
            requirement = missing.requirement
            low = requirement.seq
            if isinstance(requirement, UpTo):
                if requirement.measure not in COUNTED_BY_SEQ or requirement.seq < 1:
                    continue
                low = 1
            pid = requirement.sender
            asked = run.subtract([low, requirement.seq], holdings.had.get(pid, []))
            if asked and not holdings.is_retired(pid):
                needed[pid] = run.union(needed.get(pid, []), asked)
        return needed

    def held(self, *, most: int) -> list[HeldMessage]:
        """Give messages that wait, so many at most, by sender and seq."""
        found = []
        for message, waiting_for in islice(self.engine.holding(), most):
            payload = self._post.read(message.content).payload
            found.append(HeldMessage(message.id, message.parents, payload, waiting_for))
        return sorted(found)

    def release(self, *, out: Effects) -> None:
        """Tell the program what the gate lets pass by now."""
        if self._maybe_confirming is not None:
            self._number(self._maybe_confirming.release(), out=out)

    def _tell(
        self, events: list[Event], maybe_envelope: Envelope | None, *, now: int, out: Effects
    ) -> list[MemberId]:
        waited_for: list[MemberId] = []
        for event in events:
            if isinstance(event, Delivered):
                self._stamper.accept(event.message)
                self._deliver(event, maybe_envelope, now=now, out=out)
            elif isinstance(event, Held):
                waited_for.append(event.waiting_for.sender)
        return waited_for

    def _deliver(
        self, event: Delivered, maybe_envelope: Envelope | None, *, now: int, out: Effects
    ) -> None:
        message = event.message
        envelope = maybe_envelope
        if envelope is None or message.id != (envelope.sender, envelope.seq):
            envelope = self._post.read(message.content)
        telling = told.Delivered(
            self._group,
            message.id,
            message.parents,
            envelope.payload,
            self._position,
            envelope.sent_at,
            event.marks,
            message.stamps,
        )
        stamps = message.stamps if isinstance(message.stamps, CausalStamps) else None
        if self._maybe_confirming is None:
            self._number([telling], out=out)
            return
        if is_control(message.id, stamps, envelope.payload):
            return
        if message.id.sender != self._pid:
            self._maybe_confirming.owe(now=now)
        if self._is_for_this_member(message.id, stamps):
            self._number(self._maybe_confirming.accept(telling, stamps, own=self._pid), out=out)

    def _is_for_this_member(self, message_id: MessageId, stamps: CausalStamps | None) -> bool:
        if stamps is None or not stamps.dst:
            return True
        return self._pid in (message_id.sender, *stamps.dst)

    def _number(self, passed: list[told.Delivered], *, out: Effects) -> None:
        """Give what the program is told its place."""
        for event in passed:
            self._position += 1
            out.events.append(event._replace(position=self._position))
