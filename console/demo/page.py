"""The page of the demo: its token, the address to open, and a browser where there is a desktop."""

from __future__ import annotations

import os
import secrets
import stat
import sys
import webbrowser
from collections.abc import Callable, Mapping
from pathlib import Path
from urllib.parse import quote

DESKTOP_VARIABLES = ("DISPLAY", "WAYLAND_DISPLAY")


def write_token(file: Path) -> str:
    """Make a token and keep it in a file that nobody else can read."""
    token = secrets.token_urlsafe(24)
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, stat.S_IRUSR | stat.S_IWUSR)
    with os.fdopen(descriptor, "w", encoding="ascii") as opened:
        opened.write(token)
    return token


def address_to_open(address: str, *, group: str, token: str) -> str:
    """The page on one conversation, with the token in the part that no server is sent."""
    return f"{address}#/conversation/{quote(group, safe='')}&token={token}"


def is_desktop(environ: Mapping[str, str], *, is_terminal: bool, platform: str) -> bool:
    """Is there a person before a screen? Then a browser may be opened."""
    has_screen = platform == "darwin" or any(environ.get(name) for name in DESKTOP_VARIABLES)
    return is_terminal and has_screen


def show_page(
    address: str, *, is_terminal: bool, open_browser: Callable[[str], bool] = webbrowser.open
) -> None:
    """Open a browser if there is a desktop; whoever has none has read the address."""
    if is_desktop(os.environ, is_terminal=is_terminal, platform=sys.platform):
        open_browser(address)
