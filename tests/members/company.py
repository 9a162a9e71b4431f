"""A company of members on a perfect, or a chosen, network: time and datagrams go by hand."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

from ingest.wire.envelope import Envelope, Kind, decode
from ingest.wire.synchronisation import SynchronisationBody, decode_synchronisation
from members.events import Delivered, Effects, MemberEvent
from members.limits import MemberLimits, Pace
from members.routing import GroupManager
from ordering.values import GroupId

START_AT = 1_000_000_000
SECOND = 1_000_000
DEV = GroupId("dev")

Wanted = TypeVar("Wanted", bound=MemberEvent)
Loses = Callable[[str, str, bytes], bool]


def nothing(_source: str, _destination: str, _datagram: bytes) -> bool:
    """A network that loses nothing."""
    return False


class Company:
    """Managers that hear each other; what is sent arrives a millisecond later."""

    def __init__(
        self, *names: str, limits: MemberLimits | None = None, pace: Pace | None = None
    ) -> None:
        self.now = START_AT
        self.loses: Loses = nothing
        self.managers: dict[str, GroupManager] = {}
        self.events: dict[str, list[MemberEvent]] = {}
        self.sent: list[tuple[str, bytes]] = []
        self._limits = limits
        self._pace = pace
        for name in names:
            self.start(name)

    def start(self, name: str, *, incarnation: int = 1) -> GroupManager:
        """Start a process; one that was there under the name is gone."""
        self.managers[name] = GroupManager(
            name, incarnation=incarnation, seed=len(name), limits=self._limits, pace=self._pace
        )
        self.events[name] = []
        return self.managers[name]

    def perform(self, name: str, effects: Effects) -> Effects:
        """Do what a manager asks for, and all that this leads to at once."""
        waiting = [(name, effects)]
        while waiting:
            source, done = waiting.pop(0)
            self.events[source] += done.events
            for datagram in done.datagrams:
                self.sent.append((source, datagram))
                self.now += 1
                for other, manager in self.managers.items():
                    if other != source and not self.loses(source, other, datagram):
                        waiting.append((other, manager.receive(datagram, now=self.now)))
        return effects

    def pass_time(self, seconds: float = 10.0) -> None:
        """Let time pass, each member being woken when it wants to."""
        until_at = self.now + int(seconds * SECOND)
        while True:
            deadlines = [
                (deadline, name)
                for name, manager in self.managers.items()
                if (deadline := manager.next_deadline()) is not None
            ]
            if not deadlines or min(deadlines)[0] > until_at:
                break
            deadline, name = min(deadlines)
            self.now = max(self.now + 1, deadline)
            self.perform(name, self.managers[name].advance(self.now))
        self.now = max(self.now, until_at)

    def gather(self, *names: str) -> None:
        """Let the first create the group `dev` and the others join it."""
        first, *others = names or tuple(self.managers)
        self.perform(first, self.managers[first].create(DEV, now=self.now))
        for name in others:
            self.perform(name, self.managers[name].join(DEV, now=self.now))
        self.pass_time(2)

    def say(self, name: str, text: str, **more: object) -> Effects:
        """Send a message to `dev`."""
        send = self.managers[name].send
        return self.perform(name, send(DEV, text, now=self.now, **more))  # type: ignore[arg-type]

    def told(self, name: str, kind: type[Wanted]) -> list[Wanted]:
        """What a member was told, of one kind."""
        return [event for event in self.events[name] if isinstance(event, kind)]

    def heard(self, name: str) -> list[str]:
        """The texts that were delivered to a member, in their order."""
        return [event.text for event in self.told(name, Delivered)]


def envelopes(sent: Iterable[tuple[str, bytes]], kind: Kind) -> list[Envelope]:
    """What was sent, of one kind."""
    decoded = [decode(datagram) for _, datagram in sent]
    return [envelope for envelope in decoded if envelope.kind is kind]


def bodies(sent: Iterable[tuple[str, bytes]]) -> list[tuple[str, SynchronisationBody]]:
    """What was said about synchronisation, and by whom."""
    return [
        (envelope.sender, decode_synchronisation(envelope.payload))
        for envelope in envelopes(sent, Kind.SYNCHRONISATION)
    ]


def is_message(datagram: bytes) -> bool:
    """Tell whether a datagram is a message on its first way, and not in a page."""
    return decode(datagram).kind is Kind.MESSAGE
