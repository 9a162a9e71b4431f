from pathlib import Path

import pytest

from ingest.authentication.gate import open_gate
from ingest.authentication.settings import AuthenticationSettings
from ingest.files.errors import CaptureFileError, FileReason
from ingest.intake import OVER_RATE
from ingest.mapping.mapping import Mapping
from ingest.mapping.settings import MappingFormat, MappingSettings
from ingest.replaying import Replay, Replaying
from ingest.settings import AgentSettings
from ingest.wire.addresses import GroupAddress
from ingest.wire.envelope import decode, encode
from tests.ingest.capture_files import IPV4_GROUP, Record, ip, pcap, records, udp
from tests.ingest.envelopes import plain
from tests.ingest.loopback import wait_until

PATIENCE_S = 60.0
ELSEWHERE = GroupAddress("239.255.80.2", 5080)
A_SECOND_US = 1_000_000


class Bench:
    """A file being read, and everything that was accepted of it."""

    def __init__(
        self,
        folder: Path,
        content: list[Record],
        *,
        sender_messages_per_s: int = 0,
        maybe_mapping: Mapping | None = None,
    ) -> None:
        path = folder / "capture.pcap"
        path.write_bytes(pcap(content, 101))
        self.accepted: list[tuple[int, bytes, bytes]] = []
        self.replaying = Replaying(
            Replay(path),
            AgentSettings(groups=(str(IPV4_GROUP),), sender_messages_per_s=sender_messages_per_s),
            gate=open_gate(AuthenticationSettings()),
            accept=self.accepted.extend,
            maybe_mapping=maybe_mapping,
        )

    def read(self) -> None:
        self.replaying.start()
        wait_until(lambda: self.replaying.has_finished)
        self.replaying.require_running()
        assert self.replaying.stop(within_s=PATIENCE_S)


def _envelopes(count: int) -> list[bytes]:
    return [encode(plain(seq)) for seq in range(1, count + 1)]


def test_a_file_gives_its_messages_with_the_times_of_their_records(tmp_path: Path) -> None:
    content = records(ip(udp(data)) for data in _envelopes(20))
    bench = Bench(tmp_path, content)
    bench.read()
    expected = zip(content, _envelopes(20), strict=True)
    assert bench.accepted == [(record.captured_at, b"dev", data) for record, data in expected]
    assert bench.replaying.heard().received == 20


def test_what_is_not_for_the_agent_is_counted_and_told_by_address(tmp_path: Path) -> None:
    packets = [ip(udp(b"x", ELSEWHERE), ELSEWHERE)] * 3 + [ip(b"x" * 20, protocol=6)]
    bench = Bench(tmp_path, records(packets))
    bench.read()
    assert bench.accepted == []
    assert bench.replaying.heard().left_out == {
        FileReason.OTHER_ADDRESS: 3,
        FileReason.NOT_UDP: 1,
    }
    assert bench.replaying.elsewhere == {ELSEWHERE: 3}


def test_limits_by_rate_count_in_the_time_of_the_file(tmp_path: Path) -> None:
    packets = [ip(udp(data)) for data in _envelopes(30)]
    slow = [Record(packet, n * A_SECOND_US, len(packet)) for n, packet in enumerate(packets)]
    fast = [Record(packet, n, len(packet)) for n, packet in enumerate(packets)]
    for content, is_within in ((slow, True), (fast, False)):
        bench = Bench(tmp_path, content, sender_messages_per_s=2)
        bench.read()
        refused = bench.replaying.heard().refused
        assert (refused[OVER_RATE] == 0) is is_within


def test_foreign_datagrams_of_a_file_are_mapped(tmp_path: Path) -> None:
    mapping = Mapping(MappingSettings(format=MappingFormat.JSON, seq="/n"))
    bench = Bench(tmp_path, records([ip(udp(b'{"n": 7}'))]), maybe_mapping=mapping)
    bench.read()
    assert [decode(value).seq for _, _, value in bench.accepted] == [7]


def test_a_file_joins_no_group_and_needs_no_buffer(tmp_path: Path) -> None:
    bench = Bench(tmp_path, [])
    assert (bench.replaying.groups, bench.replaying.buffer_got_bytes) == ([], 0)
    assert bench.replaying.change(AgentSettings()).joined == []
    assert bench.replaying.stop(within_s=0.0)


def test_a_file_that_is_no_capture_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("hello", encoding="utf-8")
    with pytest.raises(CaptureFileError, match="neither pcap nor pcapng"):
        Replaying(
            Replay(path),
            AgentSettings(),
            gate=open_gate(AuthenticationSettings()),
            accept=lambda _: None,
        )
