"""A member that is alone with an archive: time, requests and pages go by hand."""

from __future__ import annotations

from ingest.wire.envelope import decode
from ingest.wire.synchronisation import Request, decode_synchronisation
from members.archiving import Archiving
from members.asking import ALL, JoinPolicy
from members.events import Delivered, Effects, MemberEvent
from members.limits import MemberLimits
from members.post import Post
from members.routing import GroupManager
from members.simulated_archive import SimulatedService
from ordering.policy import GroupPolicy
from tests.members.company import DEV, SECOND, START_AT


class Alone:
    """One member, no others, and a service."""

    def __init__(
        self,
        service: SimulatedService,
        *,
        name: str = "zoe",
        limits: MemberLimits | None = None,
        post: Post | None = None,
    ) -> None:
        self.now = START_AT
        self.service = service
        self.manager = GroupManager(name, incarnation=1, seed=3, limits=limits, post=post)
        self.archiving = Archiving(self.manager)
        self.events: list[MemberEvent] = []
        self.requests: list[Request] = []
        self.repeats_pages = False

    def perform(self, effects: Effects) -> None:
        """Do what a call leads to, and all that this leads to at once."""
        self.events += effects.events
        self.archiving.hear(effects.events, now=self.now)
        self.look()

    def look(self) -> None:
        """Send the requests that are due, and take their pages."""
        for request in self.archiving.due(now=self.now):
            body = decode_synchronisation(decode(request).payload)
            assert isinstance(body, Request)
            self.requests.append(body)
            pages = self.service.answer(request)
            for page in pages + (pages if self.repeats_pages else []):
                self.perform(self.archiving.receive(page, now=self.now))

    def join(self, history: JoinPolicy = ALL, *, policy: GroupPolicy | None = None) -> None:
        """Join `dev`."""
        self.perform(self.manager.join(DEV, history, policy=policy, now=self.now))

    def pass_time(self, seconds: float = 60.0) -> None:
        """Let time pass."""
        until_at = self.now + int(seconds * SECOND)
        while True:
            deadlines = (self.manager.next_deadline(), self.archiving.next_deadline())
            due = [deadline for deadline in deadlines if deadline is not None]
            if not due or min(due) > until_at:
                break
            self.now = max(self.now + 1, min(due))
            self.perform(self.manager.advance(self.now))
        self.now = max(self.now, until_at)

    def heard(self) -> list[str]:
        """The texts that were delivered, in their order."""
        return [event.text for event in self.events if isinstance(event, Delivered)]
