"""The room: a member at work and all its conversations, between the network and the screen.

The screen calls the verbs and looks at `talks`; it is told what changed by `on_change`. Nothing
here knows about widgets.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from console.chat.opening import Opened
from console.chat.talk import Spoken, Talk
from console.chat.words import name_shown, shown
from members.asking import ALL, JoinPolicy
from members.events import (
    ArchiveRead,
    Delivered,
    Gap,
    GroupSeen,
    MemberEvent,
    MemberFailed,
    MemberJoined,
    MemberLeft,
    Synchronised,
    Unanswered,
)
from members.host import MemberHost
from ordering import runs as run
from ordering.values import MessageId

MOST_HELD: Final = 200
"""Held messages of a group that are shown: more are not read, and looked at four times a second."""

CATCHING_UP: Final = "catching up"
UP_TO_DATE: Final = "up to date"
OnSpoken = Callable[[Talk, Spoken], None]
OnChange = Callable[[Talk], None]


class Room:
    """One member in all its groups. `async with room:` listens."""

    def __init__(self, opened: Opened, *, on_spoken: OnSpoken, on_change: OnChange) -> None:
        self.talks: dict[str, Talk] = {}
        self._on_spoken = on_spoken
        self._on_change = on_change
        self.has_service = opened.maybe_archive is not None
        self.host = MemberHost(
            opened.manager,
            opened.transport,
            on_event=self._hear,
            archive=opened.maybe_archive,
        )

    @property
    def name(self) -> str:
        """Under which name this member speaks."""
        return self.host.manager.name

    # What the screen calls.

    def create(self, group: str, description: str) -> Talk:
        """Make a group and be in it. Raises MemberError or WireError."""
        name = self.host.create(group, description=description)
        return self._entered(name, description=description)

    def join(self, group: str, history: JoinPolicy = ALL) -> Talk:
        """Be in a group, whether it was seen or not. Raises MemberError or WireError."""
        talk = self._entered(group, description="")
        talk.state = CATCHING_UP
        try:
            self.host.join(group, history)
        except Exception:
            talk.is_joined, talk.state = False, ""
            raise
        return talk

    def leave(self, group: str) -> None:
        """Be in a group no longer; what was said is forgotten."""
        self.host.leave(group)
        talk = self.talks[group]
        self.talks[group] = Talk(group, talk.description, members=talk.members)
        self._on_change(self.talks[group])

    def say(self, group: str, text: str, *, maybe_answered: MessageId | None) -> MessageId | None:
        """Send a message. Raises MemberError."""
        answered = () if maybe_answered is None else maybe_answered
        return self.host.send(group, text, in_answer_to=answered)

    def synchronise(self, group: str) -> None:
        """Ask everybody for everything."""
        self.talks[group].state = CATCHING_UP
        self.host.synchronise(group)
        self._on_change(self.talks[group])

    def look_for_held(self) -> None:
        """See what is held now. Called by the screen a few times a second."""
        for talk in self.talks.values():
            if talk.is_joined and talk.hold(self.host.held(talk.group, most=MOST_HELD)):
                self._on_change(talk)

    # What the network tells.

    def _entered(self, group: str, *, description: str) -> Talk:
        talk = self._talk(group)
        talk.is_joined = True
        talk.description = talk.description or shown(description, most=80)
        return talk

    def _talk(self, group: str) -> Talk:
        return self.talks.setdefault(group, Talk(group))

    def _hear(self, event: MemberEvent) -> None:
        talk = self._talk(event.group)
        if isinstance(event, Delivered):
            talk.members.discard("")
            self._on_spoken(talk, talk.deliver(event))
            return
        if isinstance(event, GroupSeen):
            talk.description = shown(event.description, most=80)
            talk.members |= {name_shown(member) for member in event.members}
        elif isinstance(event, MemberJoined):
            talk.members.add(name_shown(event.member))
        elif isinstance(event, MemberLeft):
            talk.members.discard(name_shown(event.member))
        else:
            self._note(talk, event)
        talk.members.discard(self.name)
        self._on_change(talk)

    def _note(self, talk: Talk, event: MemberEvent) -> None:
        """Say in a word how whole this conversation is."""
        if isinstance(event, Gap):
            talk.missing = sum(run.size(list(runs)) for _, runs in event.missing)
            talk.state = "" if talk.state == UP_TO_DATE else talk.state
        elif isinstance(event, Synchronised):
            talk.missing, talk.state = 0, UP_TO_DATE
        elif isinstance(event, Unanswered):
            talk.missing = sum(run.size(list(runs)) for _, runs in event.missing)
            others = "nobody has the rest" if talk.missing else "nobody answers"
            talk.state = f"{others}; asking the service" if self.has_service else others
        elif isinstance(event, ArchiveRead):
            talk.state = shown(event.problem, most=80) or f"{event.messages} from the service"
        elif isinstance(event, MemberFailed):
            talk.state = f"{name_shown(event.member)} is silent"
