import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from deploy.local.broker import Broker
from ingest.agent import Agent, AgentPlan
from ingest.counters import AgentCounters
from ingest.destination import remember
from ingest.errors import BrokerAwayError
from ingest.faults import Faults
from ingest.intake import FOREIGN_TICK
from ingest.kafka_options import RawTopic
from ingest.relay import Relay
from ingest.settings import AgentSettings
from ingest.spool.settings import SpoolSettings
from ingest.wire.envelope import decode, encode, tick
from ingest.wire.errors import MulticastError, WireReason
from ingest.wire.multicast import LOOPBACK_INTERFACE, GroupAddress
from ingest.wire.partition import partition_of
from ordering.values import GroupId
from sinks.settings import KafkaSettings
from tests.ingest.envelopes import plain
from tests.ingest.loopback import new_group, send_all, wait_until
from tests.ingest.raw_topics import (
    messages_in,
    new_raw_topic,
    plan_of,
    raw_topic_of,
    stored_in,
    values_in,
)

pytestmark = pytest.mark.broker
AWAY_AFTER_MS = 60_000


def _plan(directory: Path, *groups: GroupAddress) -> AgentPlan:
    settings = AgentSettings(
        groups=tuple(str(group) for group in groups),
        quarantined_per_s=5,
        broker_away_after_ms=AWAY_AFTER_MS,
        drain_within_ms=AWAY_AFTER_MS,
        status_address="127.0.0.1:0",
    )
    return plan_of(settings, directory)


@contextmanager
def running(plan: AgentPlan, raw: RawTopic) -> Iterator[Agent]:
    """Run an agent beside the test; at the end it drains, and must end well."""
    agent = Agent(plan, raw)
    is_stopping = threading.Event()
    failures: list[Exception] = []

    def run() -> None:
        try:
            agent.run(is_stopping=is_stopping, on_look=lambda _: None)
        except Exception as error:
            failures.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield agent
    finally:
        is_stopping.set()
        thread.join()
    assert failures == []


def _adds_up(counters: AgentCounters) -> bool:
    ended = (
        counters.published
        + counters.dropped
        + counters.withheld
        + counters.oversized
        + counters.passed_over
    )
    return counters.received + counters.recovered == ended + counters.waiting


def test_every_message_of_every_group_address_is_in_the_raw_topic_unchanged(
    broker: Broker, tmp_path: Path
) -> None:
    kafka, raw = new_raw_topic(broker.bootstrap)
    one, other = new_group(), new_group()
    sent = {
        group: [encode(plain(seq, sender=f"{name}#1")) for seq in range(1, 201)]
        for group, name in ((one, "alice"), (other, "bob"))
    }
    with running(_plan(tmp_path, one, other), raw) as agent:
        for group, datagrams in sent.items():
            send_all(datagrams, to=group)
    counters = agent.counters()
    assert (counters.received, counters.published, counters.waiting) == (400, 400, 0)
    assert counters.kernel_drops == 0
    assert _adds_up(counters)
    values = values_in(kafka)
    for datagrams in sent.values():
        assert [value for value in values if value in set(datagrams)] == datagrams
    assert {stored.partition for stored in stored_in(kafka)} == {partition_of(GroupId("dev"), 2)}
    assert all(stored.captured_at > 0 for stored in stored_in(kafka))


def test_bad_datagrams_are_published_as_refusals_within_the_limit_and_counted(
    broker: Broker, tmp_path: Path
) -> None:
    kafka, raw = new_raw_topic(broker.bootstrap)
    group = new_group()
    with running(_plan(tmp_path, group), raw) as agent:
        send_all([b"junk", encode(plain()) + b"!", encode(tick(1))], to=group)
        wait_until(lambda: agent.counters().received == 3)
        send_all([b"more junk"] * 500, to=group)
        send_all([encode(plain())], to=group)
    counters = agent.counters()
    assert counters.malformed == {
        WireReason.TOO_SHORT.value: 501,
        WireReason.LENGTH_MISMATCH.value: 1,
        FOREIGN_TICK: 1,
    }
    assert counters.withheld > 400
    assert _adds_up(counters)
    assert len(values_in(kafka)) == counters.published
    assert messages_in(kafka) == [encode(plain())]
    assert encode(tick(1)) not in values_in(kafka)


def test_behind_a_bad_network_every_message_is_in_the_raw_topic_at_least_once(
    broker: Broker, tmp_path: Path
) -> None:
    kafka, raw = new_raw_topic(broker.bootstrap)
    members, agents = new_group(), new_group()
    faults = Faults(seed=5, loss=0.2, duplication=0.2, jitter_us=50_000, resend_after_us=50_000)
    relay = Relay(faults, source=members, target=agents, interface=LOOPBACK_INTERFACE)
    is_stopping = threading.Event()
    relaying = threading.Thread(target=relay.run, kwargs={"is_stopping": is_stopping})
    sent = [encode(plain(seq)) for seq in range(1, 301)]
    with running(_plan(tmp_path, agents), raw) as agent:
        relaying.start()
        send_all(sent, to=members)
        wait_until(lambda: relay.counters.received == len(sent))
        is_stopping.set()
        relaying.join()
    values = values_in(kafka)
    assert set(values) == set(sent)
    assert len(values) == agent.counters().received == relay.counters.forwarded
    assert len(values) > len(sent)


def test_an_interface_that_is_not_there_ends_the_agent_before_it_starts(
    broker: Broker, tmp_path: Path
) -> None:
    _, raw = new_raw_topic(broker.bootstrap)
    settings = AgentSettings(interface="192.0.2.1", broker_away_after_ms=AWAY_AFTER_MS)
    before = threading.active_count()
    with pytest.raises(MulticastError, match=r"192\.0\.2\.1"):
        Agent(plan_of(settings, tmp_path), raw)
    assert threading.active_count() == before


def test_an_agent_that_has_never_reached_its_topic_says_that_there_is_no_kafka(
    tmp_path: Path,
) -> None:
    raw = raw_topic_of(KafkaSettings(bootstrap="127.0.0.1:1"))
    settings = AgentSettings(groups=(str(new_group()),), broker_away_after_ms=1_000)
    before = threading.active_count()
    with pytest.raises(BrokerAwayError, match=r"127\.0\.0\.1:1 within 1 s"):
        Agent(plan_of(settings, tmp_path), raw)
    assert threading.active_count() == before


def test_an_agent_that_has_reached_its_topic_before_starts_without_kafka_and_keeps_what_it_hears(
    tmp_path: Path,
) -> None:
    raw = raw_topic_of(KafkaSettings(bootstrap="127.0.0.1:1"))
    group = new_group()
    settings = AgentSettings(groups=(str(group),), drain_within_ms=100, status_address="off")
    plan = plan_of(settings, tmp_path)
    (tmp_path / "spool").mkdir()
    remember(tmp_path / "spool", raw)
    with running(plan, raw) as agent:
        send_all([encode(plain(seq)) for seq in range(1, 51)], to=group)
        wait_until(lambda: agent.counters().received == 50)
    counters = agent.counters()
    assert (counters.published, counters.waiting) == (0, 50)
    with running(plan, raw) as second:
        send_all([encode(plain(51))], to=group)
        wait_until(lambda: second.counters().received == 1)
    assert (second.counters().recovered, second.counters().waiting) == (50, 51)


def test_a_reload_joins_and_leaves_groups_and_disturbs_no_other(
    broker: Broker, tmp_path: Path
) -> None:
    kafka, raw = new_raw_topic(broker.bootstrap)
    stays, goes, comes = new_group(), new_group(), new_group()
    plan = _plan(tmp_path, stays, goes)
    with running(plan, raw) as agent:
        send_all([encode(plain(1, sender="stays#1"))], to=stays)
        send_all([encode(plain(1, sender="goes#1"))], to=goes)
        wait_until(lambda: agent.counters().received == 2)
        agent.reload(replace(plan.agent, groups=(str(stays), str(comes))))
        send_all([encode(plain(2, sender="stays#1"))], to=stays)
        send_all([encode(plain(2, sender="goes#1"))], to=goes)
        send_all([encode(plain(1, sender="comes#1"))], to=comes)
        wait_until(lambda: agent.counters().received == 4)
        with pytest.raises(MulticastError):
            agent.reload(replace(plan.agent, groups=(str(goes),), interface="192.0.2.1"))
        send_all([encode(plain(3, sender="stays#1"))], to=stays)
    senders = [f"{decode(value).sender} {decode(value).seq}" for value in messages_in(kafka)]
    assert sorted(senders) == ["comes#1 1", "goes#1 1", "stays#1 1", "stays#1 2", "stays#1 3"]
    assert _adds_up(agent.counters())


def test_a_spool_that_is_full_at_the_end_still_keeps_all_that_has_arrived(tmp_path: Path) -> None:
    raw = raw_topic_of(KafkaSettings(bootstrap="127.0.0.1:1"))
    group = new_group()
    settings = AgentSettings(groups=(str(group),), drain_within_ms=100, status_address="off")
    spool = SpoolSettings(directory=str(tmp_path / "spool"), maximum_bytes=100_000)
    (tmp_path / "spool").mkdir()
    remember(tmp_path / "spool", raw)
    with running(AgentPlan(agent=settings, spool=spool), raw) as agent:
        send_all([encode(plain(seq)) for seq in range(1, 3_001)], to=group)
    counters = agent.counters()
    assert counters.received + counters.kernel_drops == 3_000
    assert (counters.waiting, counters.dropped) == (counters.received, 0)
