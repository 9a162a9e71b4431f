"""What the examples of object calls share: objects of one group, on a simulated network.

    async with stage("shop", ("buyer", "stock")) as (buyer, stock):
        thread = buyer.calls.begin()
        buyer.perform(thread.ucast("count", stock.pid, b"books", now=wall_clock()))

On a real network give `MulticastTransport(...)` where this gives `network.transport()`.
"""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager

from members.events import Delivered, Effects, MemberEvent
from members.host import MemberHost, wall_clock
from members.limits import engine_limits
from members.objects import CallThread, ObjectCalls
from members.routing import GroupManager
from members.simulated_transport import SimulatedNetwork
from ordering.policy import GroupPolicy
from ordering.stamping.objects import Receipt

POLICY = GroupPolicy(
    discipline="objects", conflicts=frozenset({("write", "write")}), limits=engine_limits()
)


class Actor:
    """One object of the group."""

    def __init__(self, name: str, network: SimulatedNetwork) -> None:
        self.manager = GroupManager(name, incarnation=1, seed=len(name))
        self.host = MemberHost(self.manager, network.transport(), on_event=self._hear)
        self.seen: asyncio.Queue[Delivered] = asyncio.Queue()
        self.pid = str(self.manager.pid)

    def enter(self, group: str) -> None:
        """Be an object of the group from now on."""
        self.calls = ObjectCalls(self.manager, group)

    def perform(self, effects: Effects) -> None:
        """Send what a call of a thread made."""
        self.host.perform(effects)

    async def serve(self, answer: bytes) -> None:
        """Answer the next request, in a thread of its own."""
        thread = self.calls.begin(await self.seen.get())
        self.perform(thread.respond(answer, now=wall_clock()))
        thread.commit()

    async def receive(self, thread: CallThread, receipt: Receipt) -> str:
        """Offer what arrives to a receipt until it is complete; give what it counts."""
        while not receipt.is_complete:
            thread.offer(receipt, await self.seen.get())
        return ", ".join(sorted(one.content.decode() for one in receipt.counted()))

    def _hear(self, event: MemberEvent) -> None:
        if isinstance(event, Delivered) and self.calls.is_for_this_object(event):
            self.seen.put_nowait(event)


@asynccontextmanager
async def stage(group: str, names: Sequence[str]) -> AsyncIterator[list[Actor]]:
    """Let objects meet in a group, and end them afterwards."""
    network = SimulatedNetwork(seed=1)
    actors = [Actor(name, network) for name in names]
    async with AsyncExitStack() as stack:
        for actor in actors:
            await stack.enter_async_context(actor.host)
        actors[0].host.create(group, policy=POLICY)
        for actor in actors[1:]:
            actor.host.join(group, policy=POLICY)
        for actor in actors:
            actor.enter(group)
        await asyncio.sleep(0.5)
        yield actors
