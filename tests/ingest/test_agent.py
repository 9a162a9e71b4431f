import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from deploy.local.broker import Broker
from ingest.agent import Agent, AgentCounters
from ingest.faults import Faults
from ingest.intake import FOREIGN_TICK
from ingest.kafka_options import RawTopic
from ingest.relay import Relay
from ingest.settings import AgentSettings
from ingest.wire.envelope import encode, tick
from ingest.wire.errors import MulticastError, WireReason
from ingest.wire.multicast import LOOPBACK_INTERFACE, GroupAddress
from tests.ingest.envelopes import plain
from tests.ingest.loopback import new_group, send_all, wait_until
from tests.ingest.raw_topics import new_raw_topic, records_of

pytestmark = pytest.mark.broker
AWAY_AFTER_MS = 60_000


def _settings(*groups: GroupAddress) -> AgentSettings:
    return AgentSettings(
        groups=tuple(str(group) for group in groups),
        quarantined_per_s=5,
        broker_away_after_ms=AWAY_AFTER_MS,
        drain_within_ms=AWAY_AFTER_MS,
    )


@contextmanager
def running(settings: AgentSettings, raw: RawTopic) -> Iterator[Agent]:
    """Run an agent beside the test; at the end it drains, and must end well."""
    agent = Agent(settings, raw)
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
    ended = counters.published + counters.failed + counters.withheld + counters.oversized
    return counters.received == ended + counters.waiting


def test_every_message_of_every_group_address_is_in_the_raw_topic_unchanged(
    broker: Broker,
) -> None:
    kafka, raw = new_raw_topic(broker.bootstrap)
    one, other = new_group(), new_group()
    sent = {
        group: [encode(plain(seq, sender=f"{name}#1")) for seq in range(1, 201)]
        for group, name in ((one, "alice"), (other, "bob"))
    }
    with running(_settings(one, other), raw) as agent:
        for group, datagrams in sent.items():
            send_all(datagrams, to=group)
    counters = agent.counters()
    assert (counters.received, counters.published, counters.failed) == (400, 400, 0)
    assert counters.kernel_drops == 0
    assert _adds_up(counters)
    values = [record.value for record in records_of(kafka)]
    for datagrams in sent.values():
        assert [value for value in values if value in set(datagrams)] == datagrams
    assert {record.key for record in records_of(kafka)} == {b"dev"}


def test_bad_datagrams_are_published_without_a_key_within_the_limit_and_counted(
    broker: Broker,
) -> None:
    kafka, raw = new_raw_topic(broker.bootstrap)
    group = new_group()
    with running(_settings(group), raw) as agent:
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
    records = records_of(kafka)
    assert len(records) == counters.published
    assert [r.value for r in records if r.key] == [encode(plain())]
    assert encode(tick(1)) not in [record.value for record in records]


def test_behind_a_bad_network_every_message_is_in_the_raw_topic_at_least_once(
    broker: Broker,
) -> None:
    kafka, raw = new_raw_topic(broker.bootstrap)
    members, agents = new_group(), new_group()
    faults = Faults(seed=5, loss=0.2, duplication=0.2, jitter_us=50_000, resend_after_us=50_000)
    relay = Relay(faults, source=members, target=agents, interface=LOOPBACK_INTERFACE)
    is_stopping = threading.Event()
    relaying = threading.Thread(target=relay.run, kwargs={"is_stopping": is_stopping})
    sent = [encode(plain(seq)) for seq in range(1, 301)]
    with running(_settings(agents), raw) as agent:
        relaying.start()
        send_all(sent, to=members)
        wait_until(lambda: relay.counters.received == len(sent))
        is_stopping.set()
        relaying.join()
    values = [record.value for record in records_of(kafka)]
    assert set(values) == set(sent)
    assert len(values) == agent.counters().received == relay.counters.forwarded
    assert len(values) > len(sent)


def test_an_interface_that_is_not_there_ends_the_agent_before_it_starts(broker: Broker) -> None:
    _, raw = new_raw_topic(broker.bootstrap)
    settings = AgentSettings(interface="192.0.2.1", broker_away_after_ms=AWAY_AFTER_MS)
    before = threading.active_count()
    with pytest.raises(MulticastError, match=r"192\.0\.2\.1"):
        Agent(settings, raw)
    assert threading.active_count() == before
