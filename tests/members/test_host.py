import asyncio

from members.asking import NOW
from members.events import Delivered, GroupSeen, MemberEvent, MemberLeft, Synchronised
from members.host import MemberHost
from members.routing import GroupManager
from members.simulated_transport import SimulatedNetwork
from tests.members.patience import until


class Friend:
    """A member and what it was told."""

    def __init__(self, name: str, network: SimulatedNetwork) -> None:
        self.events: list[MemberEvent] = []
        manager = GroupManager(name, incarnation=1, seed=len(name))
        self.host = MemberHost(manager, network.transport(), on_event=self.events.append)

    def heard(self) -> list[str]:
        return [event.text for event in self.events if isinstance(event, Delivered)]

    def was_told(self, kind: type[MemberEvent]) -> bool:
        return any(isinstance(event, kind) for event in self.events)


def test_a_program_creates_joins_answers_and_leaves() -> None:
    async def talk() -> None:
        network = SimulatedNetwork(seed=1)
        alice, bob = Friend("alice", network), Friend("bob", network)
        async with alice.host, bob.host:
            group = alice.host.create("dev", description="those who build")
            question = alice.host.send(group, "who is there?")
            bob.host.advertise()
            await until(lambda: bob.was_told(GroupSeen))
            bob.host.join(group)
            await until(lambda: bob.heard() == ["who is there?"])
            assert question is not None
            bob.host.send(group, "bob", in_answer_to=question)
            assert bob.heard() == ["who is there?", "bob"]
            await until(lambda: alice.heard() == ["who is there?", "bob"])
            await until(lambda: bob.was_told(Synchronised))
            bob.host.leave(group)
            await until(lambda: alice.was_told(MemberLeft))

    asyncio.run(talk())


def test_what_is_lost_comes_by_itself() -> None:
    async def talk() -> None:
        network = SimulatedNetwork(seed=1)
        alice, bob = Friend("alice", network), Friend("bob", network)
        async with alice.host, bob.host:
            alice.host.create("dev")
            bob.host.join("dev", NOW)
            await until(lambda: bob.was_told(Synchronised))
            network.loss = 1.0
            alice.host.send("dev", "lost")
            await asyncio.sleep(0)
            network.loss = 0.0
            alice.host.send("dev", "heard")
            await until(lambda: bob.heard() == ["heard", "lost"])

    asyncio.run(talk())


def test_a_call_back_may_call_and_events_keep_their_order() -> None:
    async def talk() -> list[str]:
        network = SimulatedNetwork(seed=1)
        heard: list[str] = []

        def answer(event: MemberEvent) -> None:
            if isinstance(event, Delivered):
                if len(heard) < 3:
                    host.send("dev", f"answer to {event.text}", in_answer_to=event.id)
                heard.append(event.text)

        manager = GroupManager("alice", incarnation=1, seed=1)
        host = MemberHost(manager, network.transport(), on_event=answer)
        async with host:
            host.create("dev")
            host.send("dev", "one")
        return heard

    assert asyncio.run(talk())[:2] == ["one", "answer to one"]


def test_what_the_machine_cannot_send_is_counted_and_found_again_like_a_loss() -> None:
    from ingest.wire.errors import MulticastError
    from members.simulated_transport import SimulatedTransport

    class Broken(SimulatedTransport):
        def send(self, datagram: bytes) -> None:
            raise MulticastError(f"can't send {len(datagram)} bytes")

    async def talk() -> int:
        manager = GroupManager("alice", incarnation=1, seed=1)
        async with MemberHost(manager, Broken(SimulatedNetwork(seed=1))) as host:
            host.create("dev")
            host.send("dev", "hello")
            return host.unsent

    assert asyncio.run(talk()) == 2
