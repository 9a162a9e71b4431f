from pathlib import Path

from ingest.capture import Capture
from ingest.files.source import FileSource, Pace
from ingest.source import Source
from ingest.wire.addresses import Subscription
from tests.ingest.capture_files import pcap
from tests.ingest.loopback import new_group


def test_a_group_and_a_file_are_sources_alike(tmp_path: Path) -> None:
    path = tmp_path / "capture.pcap"
    path.write_bytes(pcap([], 101))
    sources: list[Source] = [
        Capture(
            Subscription(new_group()), interface="lo", buffer_bytes=10_000, take=lambda _: None
        ),
        FileSource(path, subscriptions=[], pace=Pace.FULL, take=lambda _: None),
    ]
    for source in sources:
        assert (source.received, source.oversized, source.kernel_drops) == (0, 0, 0)
        assert source.left_out == {}
        assert not source.has_finished
        assert source.maybe_failure is None
        assert source.buffer_got_bytes >= 0
        source.ask_to_stop()
        assert source.has_ended(within_s=0.0)
