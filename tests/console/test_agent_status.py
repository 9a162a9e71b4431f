"""The agent's status line fits its terminal, and is nowhere else."""

from __future__ import annotations

import dataclasses
import io

from console.agent_status import StatusLine, text_of
from console.terminal import CLEAR_LINE, Terminal
from ingest.counters import AgentCounters

QUIET = AgentCounters(
    received=0, published=0, waiting=0, recovered=0, dropped=0, missing=0, unpublishable=0,
    malformed={}, refused={}, repeats=0, withheld=0, passed_over=0, oversized=0, left_out={},
    kernel_drops=0, blocked=0, receive_buffer_asked_bytes=1, receive_buffer_got_bytes=1,
)  # fmt: skip


def _terminal(*, is_live: bool = True) -> Terminal:
    return Terminal(io.StringIO(), io.StringIO(), False, False, is_live)


def _shown(terminal: Terminal) -> list[str]:
    assert isinstance(terminal.progress, io.StringIO)
    return terminal.progress.getvalue().split(CLEAR_LINE)[1:]


def test_what_is_wrong_is_shown_where_it_is_not_zero() -> None:
    assert text_of(QUIET, per_s=0.0) == "received 0  0/s  published 0  waiting 0"
    wrong = dataclasses.replace(
        QUIET, received=1_234, passed_over=1, malformed={"a": 1, "b": 1}, refused={"c": 3},
        kernel_drops=4, dropped=5, missing=6, unpublishable=7,
    )  # fmt: skip
    assert text_of(wrong, per_s=49_958.4) == (
        "received 1,234  49,958/s  published 0  waiting 0  passed over 1  malformed 2"
        "  refused 3  kernel drops 4  dropped 5  missing 6  unpublishable 7"
    )


def test_the_rate_is_that_of_the_last_seconds() -> None:
    times = iter([0.0, 1.0, 2.0, 10.0, 12.0])
    terminal = _terminal()
    line = StatusLine(terminal, clock=lambda: next(times), width=lambda: 200)
    for received in (0, 100, 200, 200, 800):
        line.show(dataclasses.replace(QUIET, received=received))
    rates = [text.split("  ")[1] for text in _shown(terminal)]
    assert rates == ["0/s", "100/s", "100/s", "0/s", "300/s"]


def test_a_line_is_shorter_than_its_terminal_is_wide() -> None:
    terminal = _terminal()
    line = StatusLine(terminal, width=lambda: 20)
    line.show(QUIET)
    line.clear()
    assert [len(text) for text in _shown(terminal)] == [19, 0]


def test_where_lines_can_not_move_there_is_none() -> None:
    terminal = _terminal(is_live=False)
    line = StatusLine(terminal)
    line.show(QUIET)
    line.clear()
    assert _shown(terminal) == []
