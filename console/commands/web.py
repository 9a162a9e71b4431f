"""`precede web`: the page."""

from __future__ import annotations

import os
import secrets
from pathlib import Path
from typing import Annotated

import typer

from console.configuration.invocation import load_for
from console.configuration.sources import Flag
from console.errors import ExitCode, OperatorError
from console.terminal import terminal_of_process

READY = "ready: "
TOKEN_MARK = "#token="
SHORTEST_TOKEN = 16


def register(app: typer.Typer) -> None:
    """Add `web`."""
    app.command(
        "web",
        epilog=(
            "\b\nExamples:\n"
            "  precede web\n"
            "  precede web --address 127.0.0.1:0 --set web.member_address=239.255.80.1:5080"
        ),
    )(web)


def web(
    context: typer.Context,
    address: Annotated[
        str | None,
        typer.Option(metavar="HOST:PORT", help="Where to serve the page; else web.address."),
    ] = None,
) -> None:
    """Serve the page: groups, conversations as they grow, what is held and why, history, health.

    Reads the topics and the tables; a running job is not needed to look at what is there. Prints
    the address to open, with the token for writing in it unless that comes from web.token_file.
    """
    from console.web.server import WebServer

    terminal = terminal_of_process(os.environ)
    configuration = load_for(context, [Flag("--address", "web.address", address)]).configuration
    token = token_from(configuration.web.token_file)
    server = WebServer(configuration, token=token)
    is_printed = configuration.web.token_file is None
    shown = f"{server.address}{TOKEN_MARK}{token}" if is_printed else server.address
    server.run(on_ready=lambda: terminal.emit(f"{READY}{shown}"))
    terminal.say("stopped")


def token_from(maybe_file: Path | None) -> str:
    """The token of a file, or a new one. Raises OperatorError for one that could be guessed."""
    if maybe_file is None:
        return secrets.token_urlsafe(24)
    token = maybe_file.read_text(encoding="utf-8").strip()
    if len(token) < SHORTEST_TOKEN or not token.isascii() or not token.isprintable():
        raise OperatorError(
            f"the token in {maybe_file} has {len(token)} characters; "
            f"write at least {SHORTEST_TOKEN} that are plain ASCII",
            ExitCode.CONFIGURATION,
        )
    return token
