"""Laws of transcripts that are done again and made short."""

from __future__ import annotations

import pytest

from ordering.engine import Engine
from ordering.events import Delivered, Event
from ordering.values import Message
from simulation.checkers import duplicated, lost
from simulation.replay import play_again, printed, shorten, speaks
from tests.simulation.worlds import honest_chain


def test_the_same_steps_give_the_same_transcript() -> None:
    endpoint = honest_chain(5, crash_after=2)
    again = play_again(endpoint, steps=endpoint.steps)
    assert again.steps == endpoint.steps
    assert again.engine is not endpoint.engine


def test_a_sound_endpoint_has_nothing_to_shorten() -> None:
    endpoint = honest_chain(5, crash_after=2)
    assert shorten(endpoint, checker=lost.NAME) is None


def test_a_failing_transcript_is_cut_down_to_what_it_takes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The planted fault: the third message of the sender is always delivered at position 9."""
    receive = Engine.receive

    def misplace(engine: Engine, message: Message, *, now: int) -> list[Event]:
        events = receive(engine, message, now=now)
        return [
            Delivered(9, event.message, event.marks)
            if isinstance(event, Delivered) and event.message.id.seq == 3
            else event
            for event in events
        ]

    monkeypatch.setattr(Engine, "receive", misplace)
    endpoint = honest_chain(8, crash_after=2)
    assert speaks(endpoint, checker=duplicated.NAME) is not None
    short = shorten(endpoint, checker=duplicated.NAME)
    assert short is not None
    assert len(short.steps) == 3
    assert speaks(short, checker=duplicated.NAME) is not None


def test_a_printed_history_has_a_line_for_each_step_and_one_for_what_was_said() -> None:
    endpoint = honest_chain(2, crash_after=1)
    endpoint.tick(9)
    lines = printed(endpoint).splitlines()
    assert len(lines) == 2 * len(endpoint.steps)
    assert "receive bob#1:2 answering bob#1:1" in lines[0]
    assert "Held(bob#1:2" in lines[1]
    assert "crash, rebuilt from bytes" in lines[2]
    assert "tick" in lines[6]
    assert lines[7].endswith("-> nothing")
