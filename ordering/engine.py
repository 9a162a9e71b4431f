"""The engine: one group's messages in, their fates out.

A host makes one engine per group and calls it with the group's messages in the order of the log.
The engine holds no clock: `now` is the log's time in microseconds, and it moves only by what the
host passes. The same messages with the same times give the same events, however they are batched
and wherever a snapshot is taken and restored.

    engine = Engine(GroupPolicy(discipline="semantic"))
    for event in engine.receive_all(messages, now=now):
        ...
"""

from collections.abc import Iterable

from ordering import snapshots
from ordering.chains import target_of, waiting_for
from ordering.disciplines.registry import choose
from ordering.events import Event
from ordering.giving_up import enter
from ordering.member import REQUIREMENT, SINCE_AT
from ordering.policy import GroupPolicy
from ordering.requirement import Link, Missing, Requirement, Standing, Why
from ordering.snapshots import Snapshot
from ordering.state import GroupState
from ordering.values import Message, MessageId
from ordering.waiting import is_open, waiting_below


class Engine:
    """The order of one group."""

    __slots__ = ("_state", "_way")

    def __init__(self, policy: GroupPolicy) -> None:
        discipline = choose(policy)
        self._way = discipline.way
        self._state = GroupState(policy, discipline.requires)

    @property
    def held_count(self) -> int:
        """How many messages are held."""
        return self._state.held_count

    @property
    def delivered_count(self) -> int:
        """How many messages were delivered; also the last position."""
        return self._state.position

    def receive(self, message: Message, *, now: int) -> list[Event]:
        """Give one message its fate, and whatever that frees."""
        return self.receive_all((message,), now=now)

    def receive_all(self, messages: Iterable[Message], *, now: int) -> list[Event]:
        """Give many messages their fates: the same events as `receive` one by one.

        What was due by `now` is given up first.
        """
        state = self._state
        events: list[Event] = []
        enter(state, now, events)
        self._way(state, messages, events)
        self._finish(events)
        return events

    def advance(self, now: int) -> list[Event]:
        """Let the log's time pass: a tick. Gives up what is due."""
        events: list[Event] = []
        enter(self._state, now, events)
        self._finish(events)
        return events

    def _finish(self, events: list[Event]) -> None:
        state = self._state
        state.remember(events)
        state.remembered_to = 0
        for member in state.members.values():
            if member.loose:
                member.fold()

    def next_deadline(self) -> int | None:
        """Give the instant at which something will be given up, if nothing comes before; or
        None."""
        state = self._state
        while state.deadlines and not is_open(state, state.deadlines[0]):
            state.drop_first_deadline()
        return state.deadlines[0][0] if state.deadlines else None

    def missing(self) -> list[Missing]:
        """List what is waited for and has not been received, longest waited for first."""
        found: list[Missing] = []
        for member in self._state.members.values():
            for node in member.waiting.values():
                if node[SINCE_AT] is not None:
                    found.append(Missing(node[REQUIREMENT], waiting_below(node), node[SINCE_AT]))
        found.sort(key=lambda missing: (missing.since_at, missing.requirement[:2]))
        return found

    def why(self, message_id: MessageId) -> Why:
        """Explain where an id stands, and for a held one the chain down to what is missing."""
        state = self._state
        standing = self._standing(message_id)
        chain: list[Link] = []
        missing: Requirement | None = None
        target: tuple[str, int] | None = message_id
        while standing is Standing.HELD and target is not None:
            member = state.members.get(target[0])
            entry = member.held.get(target[1]) if member is not None else None
            if entry is None:
                break
            missing = waiting_for(entry)
            chain.append(Link(entry[0].id, missing))
            target = target_of(entry)
        return Why(message_id, standing, tuple(chain), missing)

    def _standing(self, message_id: MessageId) -> Standing:
        state = self._state
        member = state.members.get(message_id.sender)
        if member is not None:
            if member.contains(message_id.seq):
                return Standing.DELIVERED
            if message_id.seq in member.held:
                return Standing.HELD
            if message_id.seq in member.waiting:
                return Standing.MISSING
        return Standing.ABANDONED if state.is_abandoned(message_id) else Standing.UNKNOWN

    def snapshot(self) -> Snapshot:
        """Give everything the engine remembers as plain values."""
        return snapshots.take(self._state)

    @classmethod
    def restore(cls, policy: GroupPolicy, snapshot: Snapshot) -> "Engine":
        """Make an engine that goes on exactly where the snapshot was taken."""
        engine = cls(policy)
        snapshots.put_back(engine._state, snapshot)
        return engine
