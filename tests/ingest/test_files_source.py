import threading
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from ingest.datagram import Datagram, Take
from ingest.files.errors import CaptureFileError
from ingest.files.source import FileSource, Pace
from ingest.wire.addresses import parse_subscription
from tests.ingest.capture_files import IPV4_GROUP, STEP_US, Record, ip, pcap, records, udp
from tests.ingest.loopback import wait_until

PATIENCE_S = 60.0
SENT = [str(number).encode() for number in range(50)]


def _source(
    folder: Path, take: Take, *, pace: Pace = Pace.FULL, content: list[Record] | None = None
) -> FileSource:
    path = folder / "capture.pcap"
    path.write_bytes(pcap(content or records(ip(udp(data)) for data in SENT), 101))
    subscriptions = [parse_subscription(str(IPV4_GROUP))]
    return FileSource(path, subscriptions=subscriptions, pace=pace, take=take)


def test_a_file_is_given_on_whole_and_in_order_and_then_ends(tmp_path: Path) -> None:
    taken: list[Datagram] = []
    source = _source(tmp_path, taken.extend)
    source.start()
    assert source.has_ended(within_s=PATIENCE_S)
    assert source.has_finished
    assert [datagram.data for datagram in taken] == SENT
    assert source.received == len(SENT)


def test_at_the_recorded_pace_a_datagram_is_never_early(tmp_path: Path) -> None:
    taken_at: list[int] = []
    source = _source(
        tmp_path, lambda _: taken_at.append(time.monotonic_ns() // 1_000), pace=Pace.RECORDED
    )
    source.start()
    assert source.has_ended(within_s=PATIENCE_S)
    for number, at in enumerate(taken_at):
        assert at - taken_at[0] >= number * STEP_US - STEP_US // 2


def test_a_source_that_waits_for_its_time_can_be_stopped(tmp_path: Path) -> None:
    an_hour_us = 3_600_000_000
    content = [Record(ip(udp(b"x")), number * an_hour_us, 29) for number in range(3)]
    taken: list[Datagram] = []
    source = _source(tmp_path, taken.extend, pace=Pace.RECORDED, content=content)
    source.start()
    wait_until(lambda: bool(taken))
    source.ask_to_stop()
    assert source.has_ended(within_s=PATIENCE_S)
    assert not source.has_finished
    assert source.received == len(taken) == 1


def test_a_failure_while_handing_on_ends_the_thread_and_is_kept(tmp_path: Path) -> None:
    failure = RuntimeError("no room")

    def take(_: Sequence[Datagram]) -> None:
        raise failure

    source = _source(tmp_path, take)
    source.start()
    assert source.has_ended(within_s=PATIENCE_S)
    assert source.maybe_failure is failure
    assert not source.has_finished


def test_a_source_that_was_never_started_ends_at_once(tmp_path: Path) -> None:
    assert _source(tmp_path, lambda _: None).has_ended(within_s=0.0)


def test_a_file_that_is_no_capture_is_refused_before_a_thread_begins(tmp_path: Path) -> None:
    before = threading.active_count()
    with pytest.raises(CaptureFileError):
        FileSource(tmp_path / "none", subscriptions=[], pace=Pace.FULL, take=lambda _: None)
    assert threading.active_count() == before
