import io
import json
from datetime import UTC, datetime

import pytest

from ingest.telemetry.journal import Journal, Level, LogFormat, is_json_wanted, silent

NOON = datetime(2026, 11, 16, 12, 0, 3, 123_456, tzinfo=UTC)


def _told(*, is_json: bool, sentence: str = "It is so", **fields: int | str) -> str:
    stream = io.StringIO()
    Journal(stream, is_json=is_json, clock=lambda: NOON)(Level.WARNING, "so", sentence, **fields)
    return stream.getvalue()


def test_machines_get_one_json_object_on_one_line() -> None:
    line = _told(is_json=True, sentence="two\nlines", waiting=3)
    assert line.count("\n") == 1
    assert json.loads(line) == {
        "at": "2026-11-16T12:00:03.123456Z", "level": "warning", "event": "so",
        "message": "two\nlines", "waiting": 3,
    }  # fmt: skip


def test_people_get_a_sentence() -> None:
    assert _told(is_json=False, waiting=3) == "12:00:03 WARNING It is so  waiting=3\n"


@pytest.mark.parametrize("is_json", [True, False])
def test_what_came_from_outside_cannot_drive_a_terminal(is_json: bool) -> None:
    line = _told(is_json=is_json, group="\x1b[2J\n")
    assert "\x1b" not in line
    assert line.count("\n") == 1


def test_where_no_person_watches_it_is_json_unless_asked_otherwise() -> None:
    assert is_json_wanted(LogFormat.AUTO, is_terminal=False)
    assert not is_json_wanted(LogFormat.AUTO, is_terminal=True)
    assert is_json_wanted(LogFormat.JSON, is_terminal=True)
    assert not is_json_wanted(LogFormat.TEXT, is_terminal=False)


def test_a_part_without_an_agent_may_tell_nobody() -> None:
    silent(Level.INFO, "so", "It is so", waiting=1)
