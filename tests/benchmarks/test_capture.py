from collections.abc import Sequence

import pytest

from benchmarks import capture
from benchmarks.capture import GOALS, SMALL_BUFFER_BYTES, Load, Outcome, main, measure, run
from ingest.datagram import Datagram

SECONDS = 0.2


def test_every_datagram_is_received_or_counted_as_dropped_at_every_load() -> None:
    measured = measure(SECONDS)
    assert measured.faults == ()
    assert measured.as_result()["ok"] is True
    assert set(GOALS) <= set(measured.figures)
    for name in (
        "capture_50000_per_s", "capture_150000_per_s", "capture_small_buffer", "intake_50000_per_s",
    ):  # fmt: skip
        received, drops = (
            measured.figures[f"{name}_{what}"] for what in ("received", "kernel_drops")
        )
        assert received + drops == measured.figures[f"{name}_sent"] > 0


def test_a_capture_that_can_not_keep_up_still_accounts_for_everything() -> None:
    def slow(datagrams: Sequence[Datagram]) -> None:
        for _ in datagrams:
            sum(range(2_000))

    outcome = run(Load("slow", slow, 100_000, seconds=0.5, buffer_bytes=SMALL_BUFFER_BYTES))
    assert outcome.kernel_drops > 0
    assert outcome.received + outcome.kernel_drops == outcome.sent


def test_a_datagram_that_nobody_accounts_for_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    lossy = Outcome(10, 8, 1, 1.0, 1.0, 0, 1)
    monkeypatch.setattr(capture, "run", lambda _: lossy)
    measured = measure(SECONDS)
    assert measured.as_result()["ok"] is False
    assert "received 8 + drops 1 = 9, but sent 10" in measured.faults[0]


def test_the_program_ends_with_1_if_something_is_missing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for received, code in ((9, 0), (8, 1)):
        outcome = Outcome(10, received, 1, 1.0, 1.0, 0, 1)
        monkeypatch.setattr(capture, "run", lambda _, told=outcome: told)
        flags = ["--seconds", "0.1", "--buffer-bytes", "65536", "--output", "json"]
        assert main(flags) == code
    assert '"ok": false' in capsys.readouterr().out
