"""Laws of the archive over Kafka: a whole member, a real broker, a real table, no other member."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from deploy.local.broker import Broker
from deploy.local.ports import free_ports
from ingest.wire.envelope import decode
from members.asking import NOW
from members.events import ArchiveRead, Delivered, MemberEvent
from members.host import MemberHost
from members.kafka_archive import REQUESTS, KafkaArchive
from members.limits import Pace
from members.routing import GroupManager
from members.simulated_transport import SimulatedNetwork
from sinks.settings import KafkaSettings
from streaming.answering import Answering
from tests.members.patience import until
from tests.messages import wire
from tests.sinks.delivered_rows import write_deliveries
from tests.streaming.recorded import conversation
from tests.topic_tools import new_topics, two_raw_topics

QUICK = Pace(asks=1, ask_again_us=50_000)


async def listen(
    kafka: KafkaSettings, name: str, *, wanted: int, events: list[MemberEvent]
) -> None:
    manager = GroupManager(name, incarnation=1, seed=1, pace=QUICK)
    transport = SimulatedNetwork(seed=1).transport()
    host = MemberHost(manager, transport, on_event=events.append, archive=KafkaArchive(kafka))
    async with host:
        host.join("g")
        await until(lambda: sum(isinstance(one, ArchiveRead) for one in events) >= 1)
        await until(lambda: sum(isinstance(one, Delivered) for one in events) >= wanted)


def delivered(events: list[MemberEvent]) -> list[tuple[str, int]]:
    return [(one.id.sender, one.id.seq) for one in events if isinstance(one, Delivered)]


@pytest.mark.broker
@pytest.mark.parametrize("make_topics", [new_topics, two_raw_topics])
def test_members_get_the_table_and_nothing_of_each_others(
    broker: Broker, tmp_path: Path, make_topics: Callable[[str], KafkaSettings]
) -> None:
    kafka = make_topics(broker.bootstrap)
    envelopes = conversation(9, messages=3_000)
    write_deliveries(tmp_path, envelopes)
    answering = Answering(kafka, tables_directory=str(tmp_path))
    answering.start()
    first: list[MemberEvent] = []
    second: list[MemberEvent] = []

    async def both() -> None:
        await asyncio.gather(
            listen(kafka, "zoe", wanted=3_000, events=first),
            listen(kafka, "yan", wanted=3_000, events=second),
        )

    try:
        asyncio.run(both())
    finally:
        answering.stop()
    expected = [(one.sender, one.seq) for one in map(decode, envelopes)]
    assert delivered(first) == expected
    assert delivered(second) == expected
    assert answering.counts["answered"] == 2
    assert answering.counts["messages"] == 6_000


def test_a_broker_that_is_away_costs_a_member_nothing_but_the_answers() -> None:
    (port,) = free_ports(1)
    kafka = KafkaSettings(bootstrap=f"127.0.0.1:{port}")

    async def talk() -> list[MemberEvent]:
        events: list[MemberEvent] = []
        manager = GroupManager("zoe", incarnation=1, seed=1, pace=QUICK)
        transport = SimulatedNetwork(seed=1).transport()
        archive = KafkaArchive(kafka)
        async with MemberHost(manager, transport, on_event=events.append, archive=archive) as zoe:
            zoe.join("g", NOW)
            zoe.send("g", "alone")
            await asyncio.sleep(0.3)
            for _ in range(2 * REQUESTS):
                archive.ask(wire("zoe", 1))
        return events

    assert len(delivered(asyncio.run(talk()))) == 1
