"""The harness finds planted faults, and finds none where there are none."""

from __future__ import annotations

import pytest

from ingest.wire.envelope import decode
from ingest.wire.errors import WireError
from tests.fuzz import harness
from tests.fuzz.harness import fuzz
from tests.fuzz.target import Target
from tests.fuzz.targets import TARGETS
from tests.fuzz.targets.examples import envelopes
from tests.fuzz.targets.wire import run_envelope


def _planted_parents(data: bytes) -> str:
    """A parser that believes the length of a parent's name, as ours would without its check."""
    try:
        decode(data)
    except WireError as error:
        if error.reason == "bad_parents":
            raise IndexError("read behind the end") from None
        return error.reason
    return "accepted"


def _planted_depth(data: bytes) -> str:
    """A parser that falls over three nested lists."""
    if b"\x91\x91\x91" in data:
        raise RecursionError("too deep")
    return run_envelope(data)


@pytest.mark.parametrize("planted", [_planted_parents, _planted_depth])
def test_a_planted_bug_is_found_shrunk_and_named(planted: object) -> None:
    assert callable(planted)
    target = TARGETS["envelope"]._replace(run=planted)
    result = fuzz(target, inputs=20_000, seed=1)
    (crash,) = result.crashes.values()
    assert crash.place.startswith(("IndexError at _planted", "RecursionError at _planted"))
    assert len(crash.data) <= 100
    with pytest.raises((IndexError, RecursionError)):
        planted(crash.data)


def test_a_parser_without_a_fault_has_no_crash_and_many_outcomes() -> None:
    result = fuzz(TARGETS["envelope"], inputs=3_000, seed=1)
    assert not result.crashes
    assert result.inputs == 3_000
    assert result.accepted > len(envelopes())
    assert len(result.outcomes) > 30


def test_a_seed_gives_the_same_run_again() -> None:
    one, two = (fuzz(TARGETS["bundle"], inputs=2_000, seed=3) for _ in range(2))
    assert (one.outcomes, one.found) == (two.outcomes, two.found)
    assert fuzz(TARGETS["bundle"], inputs=2_000, seed=4).outcomes != one.outcomes


def test_an_input_that_takes_for_ever_is_a_crash(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(harness, "HANG_S", -1.0)
    target = Target("slow", lambda _: "accepted", (b"x",))
    assert set(fuzz(target, inputs=10, seed=1).crashes) == {"hang"}


def test_a_run_ends_when_there_is_enough_to_mend(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(harness, "MOST_CRASHES", 1)

    def fails(_: bytes) -> str:
        raise ValueError

    result = fuzz(Target("bad", fails, (b"x",)), inputs=100, seed=1)
    assert result.inputs == 1
    assert "1 crashes" in result.line()
