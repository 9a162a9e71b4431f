"""What a person writes on the page goes out as a real message: through a member, over multicast.

The member is made when the first answer is written, under the name `web.member`, and joins the
groups that people write in. A member may answer only what it has: the bytes of the message and of
what it answers in turn come from the raw topic, as their senders wrote them.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Sequence
from typing import Any, Final

from console.errors import OperatorError
from console.web.live_group import Coordinates, LiveMessage
from console.web.model import Model
from members.asking import NOW
from members.errors import MemberError
from members.host import MemberHost, wall_clock
from members.incarnation import clock_incarnation
from members.limits import engine_limits
from members.multicast_transport import MulticastTransport
from members.post import Post
from members.routing import GroupManager
from ordering.policy import GroupPolicy
from ordering.values import MessageId
from sinks.identity import parse_id

MOST_ANCESTORS: Final = 64
"""Messages above the answered one that the member is given; of older ones it needs nothing."""

MOST_CHARACTERS: Final = 4_000
STAMPED_BY_PROGRAMS: Final = frozenset({"significant", "objects"})
"""Disciplines in which a message must say which operation it belongs to: no person can."""

ReadRaw = Callable[[Sequence[Coordinates]], dict[Coordinates, bytes]]


class Writing:
    """The page's own member; every method is called on the server's loop."""

    def __init__(
        self,
        model: Model,
        *,
        name: str,
        open_transport: Callable[[], MulticastTransport],
        post: Post,
        policy_of: Callable[[str], GroupPolicy],
        read_raw: ReadRaw,
    ) -> None:
        self._model = model
        self._name = name
        self._open_transport = open_transport
        self._post = post
        self._policy_of = policy_of
        self._read_raw = read_raw
        self._maybe_host: MemberHost | None = None

    async def answer(self, group: str, text: str, maybe_answered: str | None) -> str:
        """Send a message; gives its id. Raises OperatorError with what to do instead."""
        if not text.strip():
            raise OperatorError("there is nothing to send; write something first")
        if len(text) > MOST_CHARACTERS:
            raise OperatorError(
                f"the text has {len(text)} characters; send at most {MOST_CHARACTERS} at once"
            )
        policy = self._policy_of(group)
        if policy.discipline in STAMPED_BY_PROGRAMS:
            raise OperatorError(
                f"{group} is kept in the order {policy.discipline}, where only programs can write"
            )
        parents: tuple[MessageId, ...] = ()
        datagrams: list[bytes] = []
        if maybe_answered is not None:
            parents = (parse_id(maybe_answered),)
            lineage = self._lineage(group, maybe_answered)
            found = await asyncio.to_thread(self._read_raw, [one.coordinates for one in lineage])
            datagrams = [found[one.coordinates] for one in lineage if one.coordinates in found]
        try:
            host = await self._host()
            if group not in host.manager.memberships:
                host.join(group, NOW, policy=_member_policy(policy))
            for datagram in datagrams:
                host.perform(host.manager.receive(datagram, now=wall_clock()))
            maybe_id = host.send(group, text, in_answer_to=parents)
        except MemberError as error:
            raise OperatorError(str(error)) from error
        if maybe_id is None:
            raise OperatorError(f"{group} takes nothing more just now; try again in a moment")
        return f"{maybe_id.sender}:{maybe_id.seq}"

    def close(self) -> None:
        """Stop speaking and listening."""
        if self._maybe_host is not None:
            for group in list(self._maybe_host.manager.memberships):
                self._maybe_host.leave(group)
            self._maybe_host.close()
            self._maybe_host = None

    async def _host(self) -> MemberHost:
        if self._maybe_host is None:
            manager = GroupManager(
                self._name,
                incarnation=clock_incarnation(wall_clock()),
                seed=secrets.randbits(32),
                post=self._post,
            )
            host = MemberHost(manager, self._open_transport())
            await host.__aenter__()
            self._maybe_host = host
        return self._maybe_host

    def _lineage(self, group: str, message_id: str) -> list[LiveMessage]:
        """The answered message and what stands above it, the oldest first."""
        maybe_message = self._model.find(group, message_id)
        if maybe_message is None:
            raise OperatorError(
                f"{message_id} is no delivered message of the live conversation of {group}; "
                "answer one that is"
            )
        found: dict[str, LiveMessage] = {}
        to_do = [maybe_message]
        while to_do and len(found) < MOST_ANCESTORS:
            message = to_do.pop()
            found[message.id] = message
            above = (self._model.find(group, parent) for parent in message.parents)
            to_do += [one for one in above if one is not None and one.id not in found]
        return sorted(found.values(), key=lambda one: one.position)

    def shown(self) -> dict[str, Any]:
        """What the page tells of it."""
        return {"member": self._name}


def _member_policy(policy: GroupPolicy) -> GroupPolicy:
    """The group's order, with the bounds of a member."""
    return GroupPolicy(
        discipline=policy.discipline, acceptance=policy.acceptance, limits=engine_limits()
    )
