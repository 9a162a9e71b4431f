"""Laws of the agent that need no broker: what it reads waits in its spool."""

import threading
from dataclasses import replace
from pathlib import Path

import pytest

from ingest.agent import Agent, AgentPlan
from ingest.destination import remember
from ingest.files.errors import CaptureFileError
from ingest.kafka_options import RawTopic
from ingest.mapping.settings import MappingFormat, MappingSettings
from ingest.replaying import Replay
from ingest.settings import AgentSettings
from ingest.wire.addresses import GroupAddress
from ingest.wire.envelope import encode
from tests.ingest.capture_files import IPV4_GROUP, ip, pcapng, records, udp
from tests.ingest.envelopes import plain
from tests.ingest.raw_topics import plan_of

NOWHERE = RawTopic(bootstrap="127.0.0.1:1", topic="raw", client_options={})
ELSEWHERE = GroupAddress("239.255.80.2", 5080)


def _plan(folder: Path, packets: list[bytes]) -> AgentPlan:
    """An agent that knows its topic, cannot reach it, and has a file to read."""
    path = folder / "capture.pcapng"
    path.write_bytes(pcapng(records(packets), 101))
    (folder / "spool").mkdir()
    remember(folder / "spool", NOWHERE)
    settings = AgentSettings(groups=(str(IPV4_GROUP),), drain_within_ms=100, status_address="off")
    return replace(plan_of(settings, folder), maybe_replay=Replay(path))


def _run(plan: AgentPlan) -> Agent:
    """Run an agent until its file has ended."""
    agent = Agent(plan, NOWHERE)
    agent.run(is_stopping=threading.Event(), on_look=lambda _: None)
    return agent


def test_an_agent_with_a_file_ends_with_it_and_has_all_of_it(tmp_path: Path) -> None:
    envelopes = [encode(plain(seq)) for seq in range(1, 301)]
    packets = [*(ip(udp(data)) for data in envelopes), ip(b"x" * 20, protocol=6)]
    counters = _run(_plan(tmp_path, packets)).counters()
    assert (counters.received, counters.waiting, counters.published) == (300, 300, 0)
    assert counters.left_out == {"not_udp": 1}
    assert counters.kernel_drops == 0


def test_an_agent_tells_where_the_datagrams_of_its_file_went(tmp_path: Path) -> None:
    agent = _run(_plan(tmp_path, [ip(udp(b"x", ELSEWHERE), ELSEWHERE)] * 3))
    assert agent.counters().received == 0
    assert agent.elsewhere == {ELSEWHERE: 3}


def test_an_agent_maps_the_foreign_datagrams_of_its_file(tmp_path: Path) -> None:
    packets = [ip(udp(b'{"n": %d}' % number)) for number in range(1, 11)]
    plan = _plan(tmp_path, [*packets, ip(udp(b"junk"))])
    mapping = MappingSettings(format=MappingFormat.JSON, seq="/n")
    counters = _run(replace(plan, mapping=mapping)).counters()
    assert (counters.received, counters.waiting) == (11, 11)
    assert counters.malformed == {"mapping_not_json": 1}


def test_a_file_that_is_no_capture_ends_the_agent_before_it_starts(tmp_path: Path) -> None:
    plan = _plan(tmp_path, [])
    (tmp_path / "capture.pcapng").write_bytes(b"hello")
    before = threading.active_count()
    with pytest.raises(CaptureFileError):
        Agent(plan, NOWHERE)
    assert threading.active_count() == before
