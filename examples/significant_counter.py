"""Significant order: two additions to a counter must not be interchanged, a look at it may be.

    python -m examples.significant_counter

A client adds twice and looks once. Additions carry input and change state (IS), so the second
follows the first; the look carries nothing and changes nothing (NN) and waits for neither.
"""

import asyncio

from members.events import Delivered, MemberEvent
from members.host import MemberHost, wall_clock
from members.limits import engine_limits
from members.routing import GroupManager
from members.significant import SignificantCalls
from members.simulated_transport import SimulatedNetwork
from ordering.policy import GroupPolicy
from ordering.stamps import MessageType, SignificantStamps

POLICY = GroupPolicy(
    discipline="significant", conflicts=frozenset({("add", "add")}), limits=engine_limits()
)


async def count() -> None:
    """Let a client work on a counter."""
    network = SimulatedNetwork(seed=1)
    seen: asyncio.Queue[Delivered] = asyncio.Queue()

    def on_event(event: MemberEvent) -> None:
        if isinstance(event, Delivered):
            seen.put_nowait(event)

    client = MemberHost(GroupManager("client", incarnation=1, seed=1), network.transport())
    counter = MemberHost(
        GroupManager("counter", incarnation=1, seed=2), network.transport(), on_event=on_event
    )
    async with client, counter:
        client.create("counter", policy=POLICY)
        counter.join("counter", policy=POLICY)
        await asyncio.sleep(0.5)
        calls = SignificantCalls(client.manager, "counter")
        for operation, kind, content in (
            ("add", MessageType.REQUEST_INPUT_STATE, b"5"),
            ("add", MessageType.REQUEST_INPUT_STATE, b"7"),
            ("look", MessageType.REQUEST_PLAIN, b""),
        ):
            instance = calls.begin(operation, now=wall_clock())
            client.perform(calls.send(instance, kind, content, now=wall_clock()))
            calls.complete(instance)
        for _ in range(3):
            event = await seen.get()
            assert isinstance(event.stamps, SignificantStamps)
            follows = "follows an earlier one" if event.stamps.own_preceding else "follows nothing"
            print(f"{event.stamps.operation} {event.text}".strip(), "-", follows)


if __name__ == "__main__":
    asyncio.run(count())
