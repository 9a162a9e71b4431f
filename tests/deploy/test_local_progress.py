"""Laws of the progress line: redrawn on a terminal, one line at each end elsewhere."""

import io

import pytest

from deploy.local.progress import Progress


class Screen(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_pipe_gets_two_whole_lines_and_nothing_to_redraw() -> None:
    stream = io.StringIO()
    with Progress("Fetching", stream=stream) as progress:
        progress.show("1 of 2")
    first, last = stream.getvalue().splitlines()
    assert first == "Fetching ..."
    assert last.startswith("Fetching: done after ")
    assert "\x1b" not in stream.getvalue()


def test_a_terminal_sees_how_far_it_is() -> None:
    stream = Screen()
    with Progress("Fetching", stream=stream) as progress:
        progress.show("1 of 2")
    assert "Fetching: 1 of 2" in stream.getvalue()
    assert stream.getvalue().count("\n") == 1


def test_a_failure_is_called_one() -> None:
    stream = io.StringIO()
    with pytest.raises(OSError, match="gone"), Progress("Fetching", stream=stream):
        raise OSError("gone")
    assert "Fetching: failed after " in stream.getvalue()
