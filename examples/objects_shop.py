"""Object-group operations: a buyer asks a stock and a bank side by side, and takes both answers.

    python -m examples.objects_shop

The three objects are members of one group of the discipline `objects`, here on a simulated network.
The buyer's pcast sends two different requests in parallel; its crec is complete when both have
answered; then it tells the shipper, whose message follows everything that the answers followed.
"""

import asyncio

from members.events import Delivered, MemberEvent
from members.host import MemberHost, wall_clock
from members.limits import engine_limits
from members.objects import ObjectCalls
from members.routing import GroupManager
from members.simulated_transport import SimulatedNetwork
from ordering.policy import GroupPolicy

POLICY = GroupPolicy(
    discipline="objects",
    conflicts=frozenset({("reserve", "ship"), ("charge", "ship")}),
    limits=engine_limits(),
)


class Shop:
    """One object: it answers what it is asked, and tells what it saw."""

    def __init__(self, name: str, network: SimulatedNetwork) -> None:
        self.manager = GroupManager(name, incarnation=1, seed=len(name))
        self.host = MemberHost(self.manager, network.transport(), on_event=self.on_event)
        self.seen: asyncio.Queue[Delivered] = asyncio.Queue()

    def on_event(self, event: MemberEvent) -> None:
        """Queue what is for this object."""
        if isinstance(event, Delivered) and self.calls.is_for_this_object(event):
            self.seen.put_nowait(event)

    async def serve(self, answer: bytes) -> None:
        """Answer one request, in a thread of its own."""
        request = await self.seen.get()
        thread = self.calls.begin(request)
        self.host.perform(thread.respond(answer, now=wall_clock()))
        thread.commit()

    def enter(self) -> None:
        """Be an object of the group from now on."""
        self.calls = ObjectCalls(self.manager, "shop")


async def buy() -> None:
    """Reserve and charge side by side, then ship."""
    network = SimulatedNetwork(seed=1)
    buyer, stock, bank, shipper = objects = [
        Shop(name, network) for name in ("buyer", "stock", "bank", "shipper")
    ]
    async with buyer.host, stock.host, bank.host, shipper.host:
        buyer.host.create("shop", policy=POLICY)
        for one in objects[1:]:
            one.host.join("shop", policy=POLICY)
        for one in objects:
            one.enter()
        await asyncio.sleep(0.5)
        thread = buyer.calls.begin()
        requests = [("reserve", ["stock#1"], b"a book"), ("charge", ["bank#1"], b"12")]
        buyer.host.perform(thread.pcast(requests, now=wall_clock()))
        both = thread.crec("stock#1", "bank#1")
        await asyncio.gather(stock.serve(b"reserved"), bank.serve(b"charged"))
        while not both.is_complete:
            answer = await buyer.seen.get()
            thread.offer(both, answer)
        print("answered:", ", ".join(sorted(one.content.decode() for one in both.counted())))
        buyer.host.perform(thread.ucast("ship", "shipper#1", b"a book", now=wall_clock()))
        thread.commit()
        shipped = await shipper.seen.get()
        print("shipped:", shipped.text)


if __name__ == "__main__":
    asyncio.run(buy())
