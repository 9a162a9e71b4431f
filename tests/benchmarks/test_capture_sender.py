import json
from contextlib import closing

import pytest

from benchmarks.capture_sender import BURST, envelope_of, main, send_steadily
from ingest.wire.envelope import decode
from ingest.wire.multicast import LOOPBACK_INTERFACE, Receiver, open_receiver
from tests.ingest.loopback import new_group

SIZE = 200


def _heard(receiver: Receiver, count: int) -> list[bytes]:
    return [receiver.socket.recv(1_000) for _ in range(count)]


def test_every_datagram_is_an_envelope_of_its_size_and_numbered_without_a_gap() -> None:
    group = new_group()
    receiver = open_receiver(
        group, interface=LOOPBACK_INTERFACE, buffer_bytes=4_000_000, wait_at_most_s=30.0
    )
    with closing(receiver.socket):
        sent, _ = send_steadily(group, per_s=10_000, seconds=0.02, size=SIZE)
        heard = _heard(receiver, sent)
    assert sent == 200 > 2 * BURST
    assert {len(datagram) for datagram in heard} == {SIZE}
    assert [decode(datagram).seq for datagram in heard] == list(range(1, sent + 1))


def test_the_program_tells_how_many_the_kernel_took(capsys: pytest.CaptureFixture[str]) -> None:
    flags = ["--group", str(new_group()), "--per-s", "1000", "--seconds", "0.05"]
    assert main(flags) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["sent"] == 50
    assert told["took_s"] > 0


def test_an_envelope_that_would_be_too_short_is_refused() -> None:
    with pytest.raises(ValueError, match="too short; at least 53"):
        envelope_of(20)
