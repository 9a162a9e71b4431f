"""What the demo shows, on a terminal and in a log."""

from __future__ import annotations

import io

import pytest

from console.demo.view import Delivery, View, counters_line
from console.terminal import Terminal
from sinks.records import Counters


def terminal(*, is_live: bool) -> tuple[Terminal, io.StringIO]:
    stream = io.StringIO()
    return (
        Terminal(
            out=io.StringIO(),
            progress=stream,
            is_out_coloured=False,
            is_progress_coloured=False,
            is_progress_live=is_live,
        ),
        stream,
    )


def show(view: View) -> None:
    view.deliver(Delivery("a:1", None, "alice", "who?\x1b[2J", 1))
    view.deliver(Delivery("b:1", "a:1", "bob", "me", 2))
    view.count(Counters(0, 5, 3, 2, 0, 1, 0, 1))
    view.count(Counters(1, 0, 1, 0, 1, 0, 0, 1))
    view.update()


def test_a_log_has_one_line_for_each_delivery_and_the_counters_at_the_end() -> None:
    plain, stream = terminal(is_live=False)
    view = View(plain)
    show(view)
    view.finish()
    assert stream.getvalue().splitlines() == [
        r"    1  alice: who?\x1b[2J",
        "    2    bob: me",
        "captured 4  delivered 2  held 1  duplicates 1  quarantined 0",
    ]


def test_a_terminal_is_drawn_again_in_place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.get_terminal_size", lambda: (20, 24))
    live, stream = terminal(is_live=True)
    view = View(live)
    show(view)
    first = stream.getvalue().splitlines()
    assert first[:3] == ["alice  who?\\x1b[2J", "└─ bob  me", ""]
    assert all(len(line) < 20 for line in first)
    view.finish()
    assert stream.getvalue().count("\x1b[1A") == len(first)


def test_everything_is_counted_when_the_counters_tell_of_all_that_was_delivered() -> None:
    view = View(terminal(is_live=False)[0])
    show(view)
    assert view.is_counted
    view.deliver(Delivery("b:2", "a:1", "bob", "still", 3))
    assert not view.is_counted
    view.count(Counters(1, captured=2, delivered=1))
    assert view.is_counted


def test_the_counters_are_sums_over_the_partitions() -> None:
    line = counters_line([Counters(0, captured=2), Counters(1, captured=3, held=1)])
    assert line.startswith("captured 5  delivered 0  held 1")
