"""The page of the demo: its token, its address, and when a browser is opened."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from console.demo.page import address_to_open, is_desktop, show_page, write_token


def test_the_token_can_be_read_by_its_owner_alone(tmp_path: Path) -> None:
    file = tmp_path / "token"
    token = write_token(file)
    assert file.read_text() == token
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    with pytest.raises(FileExistsError):
        write_token(file)


def test_the_token_stands_behind_the_mark_that_no_server_is_sent() -> None:
    address = address_to_open("http://127.0.0.1:5003/", group="a/b c", token="secret")
    before, _, after = address.partition("#")
    assert "secret" not in before
    assert after == "/conversation/a%2Fb%20c&token=secret"


@pytest.mark.parametrize(
    ("environ", "is_terminal", "platform", "expected"),
    [
        ({"DISPLAY": ":0"}, True, "linux", True),
        ({"WAYLAND_DISPLAY": "wayland-0"}, True, "linux", True),
        ({}, True, "darwin", True),
        ({}, True, "linux", False),
        ({"DISPLAY": ":0"}, False, "linux", False),
    ],
)
def test_a_browser_is_opened_only_before_a_person(
    environ: dict[str, str], is_terminal: bool, platform: str, expected: bool
) -> None:
    assert is_desktop(environ, is_terminal=is_terminal, platform=platform) is expected


def test_a_log_opens_no_browser() -> None:
    opened: list[str] = []

    def open_browser(address: str) -> bool:
        opened.append(address)
        return True

    show_page("http://x", is_terminal=False, open_browser=open_browser)
    assert opened == []
