"""Laws of what a person sees."""

from __future__ import annotations

import io
import json

import pytest

from console.terminal import (
    CLEAR_LINE,
    Colour,
    Terminal,
    aligned,
    is_colour_wanted,
    printable,
    terminal_for,
)


class Screen(io.StringIO):
    """A stream that says that a person looks at it."""

    def isatty(self) -> bool:
        return True


def plain() -> tuple[Terminal, io.StringIO, io.StringIO]:
    out, progress = io.StringIO(), io.StringIO()
    return terminal_for(out, progress, {}), out, progress


def test_a_pipe_gets_no_colour() -> None:
    assert not is_colour_wanted(io.StringIO(), {})


def test_a_terminal_gets_colour() -> None:
    assert is_colour_wanted(Screen(), {"TERM": "xterm"})


@pytest.mark.parametrize("environ", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_a_person_may_refuse_colour(environ: dict[str, str]) -> None:
    assert not is_colour_wanted(Screen(), environ)


def test_an_empty_no_color_refuses_nothing() -> None:
    assert is_colour_wanted(Screen(), {"NO_COLOR": ""})


def test_results_and_progress_never_mix() -> None:
    terminal, out, progress = plain()
    terminal.emit("result")
    terminal.say("working")
    terminal.complain("broken")
    assert out.getvalue() == "result\n"
    assert progress.getvalue() == "working\nprecede: broken\n"


def test_a_json_result_is_one_line() -> None:
    terminal, out, _ = plain()
    terminal.emit_json({"ok": True, "name": "é"})
    assert json.loads(out.getvalue()) == {"ok": True, "name": "é"}
    assert out.getvalue().count("\n") == 1


def test_a_table_is_aligned_and_no_line_ends_in_spaces() -> None:
    assert aligned([["a", "bbb", "c"], ["aaaa", "b", ""]]) == ["a     bbb  c", "aaaa  b"]


def test_a_table_on_a_pipe_is_plain() -> None:
    terminal, out, _ = plain()
    terminal.emit_table(["K", "V"], [["key", "1"]])
    assert out.getvalue() == "K    V\nkey  1\n"


def test_a_table_on_a_screen_has_a_quiet_header() -> None:
    screen = Screen()
    terminal_for(screen, screen, {}).emit_table(["K"], [["x"]])
    assert screen.getvalue() == f"\x1b[{Colour.QUIET.value}mK\x1b[0m\nx\n"


def test_control_characters_of_others_never_reach_the_terminal() -> None:
    assert printable("a\x1b[31mb\r\n\x9bé") == "a\\x1b[31mb\\r\\n\\x9bé"


def test_a_complaint_may_quote_anything() -> None:
    terminal, _, progress = plain()
    terminal.complain("the key \x1b[2J is unknown")
    assert progress.getvalue() == "precede: the key \\x1b[2J is unknown\n"


def test_a_step_on_a_pipe_is_two_plain_lines() -> None:
    terminal, _, progress = plain()
    with terminal.step("Starting"):
        pass
    lines = progress.getvalue().splitlines()
    assert lines[0] == "Starting ..."
    assert lines[1].startswith("Starting: done in ")


def test_a_step_that_fails_says_so_and_lets_the_error_pass() -> None:
    terminal, _, progress = plain()
    with pytest.raises(KeyError), terminal.step("Starting"):
        raise KeyError
    assert "Starting: failed in " in progress.getvalue()


def test_a_step_on_a_screen_leaves_one_clean_line() -> None:
    screen = Screen()
    with terminal_for(screen, screen, {}).step("Starting"):
        pass
    assert screen.getvalue().rpartition(CLEAR_LINE)[2].startswith("Starting: done in ")
