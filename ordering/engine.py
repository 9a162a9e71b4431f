"""The engine: one group's messages in, their fates out.

A host makes one engine per group and calls it with the group's messages in the order of the log.
The engine holds no clock: `now` is the log's time in microseconds, and it moves only by what the
host passes. The same messages with the same times give the same events, however they are batched
and wherever a snapshot is taken and restored.

    engine = Engine(GroupPolicy(discipline="semantic"))
    for event in engine.receive_all(messages, now=now):
        ...
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import islice
from typing import Final

from ordering import snapshots
from ordering.chains import above, count_below, waiting_for
from ordering.disciplines.registry import choose
from ordering.events import Event
from ordering.member import MESSAGE, SINCE_AT, Node, requirement_of
from ordering.plain_case import PlainCase, deliver_plainly
from ordering.policy import GroupPolicy
from ordering.receiving_by_parent import receive_by_parent
from ordering.requirement import Link, Missing, Requirement, Standing, Why
from ordering.snapshots import Snapshot
from ordering.state import GroupState
from ordering.time_passing import forgive, pass_to
from ordering.undisturbed import Undisturbed
from ordering.values import Message, MessageId
from ordering.waiting import is_missing, is_open, sweep_untold

TIDY_EVERY: Final = 8_192
"""Messages between two rounds of tidying: enough that a round costs nothing per message, few enough
that what waits for it stays in the processor's cache. When it happens is invisible from outside."""


class Engine:
    """The order of one group."""

    __slots__ = ("_state", "_way")

    def __init__(self, policy: GroupPolicy) -> None:
        discipline, self._way = choose(policy)
        self._state = GroupState(policy, discipline)

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
        state = self._state
        events: list[Event] = []
        if now > state.now:
            pass_to(state, now, events)
        self._order((message,), events)
        state.remembered_to = 0
        return events

    def receive_all(self, messages: Iterable[Message], *, now: int) -> list[Event]:
        """Give many messages their fates: the same events as `receive` one by one.

        What was due by `now` is given up first.
        """
        events: list[Event] = []
        pass_to(self._state, now, events)
        if not isinstance(messages, list | tuple) or len(messages) > TIDY_EVERY:
            rest = iter(messages)
            while chunk := list(islice(rest, TIDY_EVERY)):
                with Undisturbed(len(chunk)):
                    self._order(chunk, events)
            messages = ()
        with Undisturbed(len(messages)):
            self._order(messages, events)
            self._state.remembered_to = 0
            return events

    def _order(self, chunk: Sequence[Message], events: list[Event]) -> None:
        """Receive at most as many messages as may lie between two rounds of tidying."""
        state = self._state
        self._way(state, chunk, events)
        state.unfolded += len(chunk)
        if state.unfolded >= TIDY_EVERY:
            self._tidy()
        state.remember(events)

    def plain_case(self) -> PlainCase | None:
        """Give the short way for messages in the plain case; None if this discipline has none.

        It holds as long as the engine does.
        """
        if self._way is receive_by_parent and self._state.policy.limits.parents:
            return partial(deliver_plainly, self._state)
        return None

    def advance(self, now: int) -> list[Event]:
        """Let the log's time pass: a tick. Gives up what is due."""
        events: list[Event] = []
        if now <= self._state.now:
            return events
        pass_to(self._state, now, events)
        if events:
            self._state.remember(events)
            self._state.remembered_to = 0
        return events

    def _tidy(self) -> None:
        self._state.unfolded = 0
        sweep_untold(self._state)
        for member in self._state.members.values():
            if member.loose:
                member.fold()

    def next_deadline(self) -> int | None:
        """Give the instant at which something will be given up if nothing comes; None if never."""
        state = self._state
        return min((one[0] for one in state.deadlines if is_open(state, one)), default=None)

    def missing(self) -> list[Missing]:
        """List what is waited for and has not been received, longest waited for first."""
        state = self._state
        found = [
            Missing(requirement_of(node), count_below(node), node[SINCE_AT])
            for owner in state.owners()
            for node in owner.nodes.values()
            if is_missing(node)
        ]
        found.sort(key=lambda one: (one.since_at, one.requirement[:2], len(one.requirement)))
        return found

    def holding(self) -> Iterator[tuple[Message, Requirement]]:
        """Give every held message and what it waits for, in no particular order."""
        for member in self._state.members.values():
            for node in member.nodes.values():
                if node[MESSAGE] is not None:
                    yield node[MESSAGE], waiting_for(node)

    def forgive(self, waited_us: int) -> None:
        """Let a stretch of time not count as waiting; call it before time moves over it.

        A host that was away calls it, so that nothing is given up for its absence.
        """
        forgive(self._state, waited_us)

    def changed(self, policy: GroupPolicy, *, now: int) -> tuple["Engine", list[Event]]:
        """Give an engine that goes on under another policy, and what that makes of the held ones.

        What was delivered stays delivered, and positions go on. The held messages are received
        anew, in the order of their origins: each is delivered, refused, or held for what the new
        policy asks. This engine must not be used any more.
        """
        held = sorted((one for one, _ in self.holding()), key=lambda one: (one.origin, one.id))
        engine = Engine.restore(policy, snapshots.without_held(self.snapshot()))
        return engine, engine.receive_all(held, now=now)

    def why(self, message_id: MessageId) -> Why:
        """Explain where an id stands, and for a held one the chain down to what is missing."""
        state = self._state
        member = state.members.get(message_id.sender)
        node: Node | None = member.nodes.get(message_id.seq) if member is not None else None
        if member is not None and member.contains(message_id.seq):
            return Why(message_id, Standing.DELIVERED)
        if node is None:
            is_given_up = member is not None and member.is_skipped(message_id.seq)
            is_given_up = is_given_up or state.is_abandoned(message_id)
            return Why(message_id, Standing.ABANDONED if is_given_up else Standing.UNKNOWN)
        if node[MESSAGE] is None:
            return Why(message_id, Standing.MISSING)
        chain: list[Link] = []
        while node is not None and node[MESSAGE] is not None:
            chain.append(Link(node[MESSAGE].id, waiting_for(node)))
            node = above(state, node)
        return Why(message_id, Standing.HELD, tuple(chain), chain[-1].waiting_for)

    def snapshot(self) -> Snapshot:
        """Give everything the engine remembers as plain values."""
        return snapshots.take(self._state)

    def discard(self) -> None:
        """Let go of what is held, for a host that drops the engine and goes on elsewhere.

        Held messages and those they wait for point at each other: without this they would stay in
        memory until the interpreter searched for circles. No other call may follow.
        """
        if self._state.held_count:
            for owner in self._state.owners():
                for node in owner.nodes.values():
                    node.clear()

    @classmethod
    def restore(cls, policy: GroupPolicy, snapshot: Snapshot) -> "Engine":
        """Make an engine that goes on exactly where the snapshot was taken."""
        engine = cls(policy)
        snapshots.put_back(engine._state, snapshot)
        return engine
