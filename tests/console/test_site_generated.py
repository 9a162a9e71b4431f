"""Pages from the code have every command and every event."""

from __future__ import annotations

from console.command import command_names
from console.site.generated import commands_page, events_page
from ordering.events import Reason


def test_every_command_has_its_help() -> None:
    text = commands_page()
    for name in command_names():
        assert f"\n## precede {name}\n" in text
    assert "\x1b" not in text


def test_every_reason_and_event_is_listed() -> None:
    text = events_page()
    assert all(f"- `{reason.value}`" in text for reason in Reason)
    assert "| `Delivered` | `position`, `message`, `marks` |" in text
