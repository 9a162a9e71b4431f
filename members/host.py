"""The host: a member in an asyncio program. It owns the transport, the clock and the timer.

    manager = GroupManager("alice", incarnation=1, seed=7)
    async with MemberHost(manager, transport, on_event=print) as alice:
        alice.join("dev")
        question = alice.send("dev", "who is there?")

All decisions are the manager's. The calls are synchronous: they return when the datagrams are with
the kernel and the events of one's own message have been told. Events are told on the loop, one
after the other, in the order in which they happened; a call-back may call the host.
"""

import asyncio
import time
from collections import deque
from collections.abc import Callable
from types import TracebackType
from typing import Final

from ingest.wire.errors import MulticastError
from members.archive import Archive
from members.archiving import Archiving
from members.asking import ALL, JoinPolicy
from members.delivering import HeldMessage
from members.events import Effects, MemberEvent
from members.routing import GroupManager
from members.transport import Transport
from ordering.policy import GroupPolicy
from ordering.values import GroupId, MessageId

_NANOSECONDS_PER_MICROSECOND: Final = 1_000
_MICROSECONDS_PER_SECOND: Final = 1_000_000


def wall_clock() -> int:
    """Give the time in microseconds since the epoch."""
    return time.time_ns() // _NANOSECONDS_PER_MICROSECOND


def ignore(_event: MemberEvent) -> None:
    """Do nothing about an event."""


class MemberHost:
    """One member at work."""

    def __init__(
        self,
        manager: GroupManager,
        transport: Transport,
        *,
        on_event: Callable[[MemberEvent], None] = ignore,
        archive: Archive | None = None,
        clock: Callable[[], int] = wall_clock,
    ) -> None:
        self.manager = manager
        self.unsent = 0
        """datagrams that the machine could not send; they are lost like any on the way"""
        self._transport = transport
        self._maybe_archive = archive
        self._maybe_archiving = None if archive is None else Archiving(manager)
        self._on_event = on_event
        self._clock = clock
        self._maybe_timer: asyncio.TimerHandle | None = None
        self._timer_at = 0
        self._untold: deque[MemberEvent] = deque()
        self._is_telling = False

    async def __aenter__(self) -> "MemberHost":
        """Begin to listen."""
        self._transport.open(self._hear)
        if self._maybe_archive is not None:
            self._maybe_archive.open(self._read)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Stop, without leaving any group: to the others it looks like a crash."""
        del kind, error, trace
        self.close()

    def close(self) -> None:
        """Stop listening, sending and timing."""
        self._transport.close()
        if self._maybe_archive is not None:
            self._maybe_archive.close()
        if self._maybe_timer is not None:
            self._maybe_timer.cancel()
            self._maybe_timer = None

    # What the program calls.

    def create(
        self,
        maybe_name: str | None = None,
        *,
        description: str = "",
        policy: GroupPolicy | None = None,
    ) -> GroupId:
        """Create a group and be in it."""
        self._perform(
            self.manager.create(
                maybe_name, description=description, policy=policy, now=self._clock()
            )
        )
        return list(self.manager.memberships)[-1]

    def join(
        self, group: str, history: JoinPolicy = ALL, *, policy: GroupPolicy | None = None
    ) -> None:
        """Join a group and get what `history` says of what was said before."""
        self._perform(self.manager.join(group, history, policy=policy, now=self._clock()))

    def leave(self, group: str) -> None:
        """Leave a group."""
        self._perform(self.manager.leave(group, now=self._clock()))

    def refuse(self, group: str) -> None:
        """Do not be told of a group again until the next advertisement."""
        self.manager.refuse(group)

    def advertise(self) -> None:
        """Say that this member is here, and be told what groups there are."""
        self._perform(self.manager.advertise(now=self._clock()))

    def send(
        self,
        group: str,
        content: str | bytes,
        *,
        in_answer_to: MessageId | tuple[MessageId, ...] = (),
        dst: tuple[str, ...] = (),
    ) -> MessageId | None:
        """Send a message; gives its id, or None if it waits for the flow condition."""
        effects = self.manager.send(
            group, content, in_answer_to=in_answer_to, dst=dst, now=self._clock()
        )
        self._perform(effects)
        return effects.maybe_sent

    def synchronise(self, group: str, history: JoinPolicy = ALL) -> None:
        """Ask the others, and the service, for what they have, though nothing seems missing."""
        if self._maybe_archiving is not None:
            self._maybe_archiving.ask(group, history, now=self._clock())
        self._perform(self.manager.synchronise(group, history, now=self._clock()))

    def held(self, group: str, *, most: int = 1_000) -> list[HeldMessage]:
        """Give messages of a group that are here and must wait, each with what it waits for."""
        return self.manager.membership(group).delivering.held(most=most)

    def perform(self, effects: Effects) -> None:
        """Do what a call of the manager leads to; for calls that the host does not offer."""
        self._perform(effects)

    # What the loop calls.

    def _hear(self, datagram: bytes) -> None:
        self._perform(self.manager.receive(datagram, now=self._clock()))

    def _read(self, page: bytes) -> None:
        """Take a page of the service."""
        if self._maybe_archiving is not None:
            self._perform(self._maybe_archiving.receive(page, now=self._clock()))

    def _time_out(self) -> None:
        self._maybe_timer = None
        self._perform(self.manager.advance(self._clock()))

    def _perform(self, effects: Effects) -> None:
        for datagram in effects.datagrams:
            try:
                self._transport.send(datagram)
            except MulticastError:
                self.unsent += 1
        if self._maybe_archive is not None and self._maybe_archiving is not None:
            now = self._clock()
            self._maybe_archiving.hear(effects.events, now=now)
            for request in self._maybe_archiving.due(now=now):
                self._maybe_archive.ask(request)
        self._tell(effects.events)
        self._set_timer()

    def _tell(self, events: list[MemberEvent]) -> None:
        """Tell events in their order, even if a call-back leads to more of them."""
        self._untold.extend(events)
        if self._is_telling:
            return
        self._is_telling = True
        try:
            while self._untold:
                self._on_event(self._untold.popleft())
        finally:
            self._is_telling = False

    def _set_timer(self) -> None:
        maybe_deadline = self.manager.next_deadline()
        if self._maybe_archiving is not None:
            maybe_asks_at = self._maybe_archiving.next_deadline()
            if maybe_deadline is None or (maybe_asks_at or maybe_deadline) < maybe_deadline:
                maybe_deadline = maybe_asks_at
        if maybe_deadline is None:
            return
        if self._maybe_timer is not None:
            if self._timer_at <= maybe_deadline:
                return  # it wakes up in time, and looks again
            self._maybe_timer.cancel()
        self._timer_at = maybe_deadline
        wait_s = max(0, maybe_deadline - self._clock()) / _MICROSECONDS_PER_SECOND
        self._maybe_timer = asyncio.get_running_loop().call_later(wait_s, self._time_out)
