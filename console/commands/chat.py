"""`precede chat`: the threaded chat of the M2MC paper, in the terminal."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from console.configuration.invocation import load_for
from console.configuration.sections import Configuration
from console.configuration.sources import Flag
from console.errors import UsageError


def register(app: typer.Typer) -> None:
    """Add `chat`."""
    app.command(
        "chat",
        epilog=(
            "\b\nExamples, each line in a terminal of its own:\n"
            "  precede chat --name alice --group dev\n"
            "  precede chat --name bob --group dev\n"
            "\b\nOn a network, with the service behind it for what nobody here has any more:\n"
            "  precede chat --interface eth0 --service --set kafka.bootstrap=kafka:9092"
        ),
    )(chat)


Name = Annotated[str | None, typer.Option(metavar="NAME", help="Your name; else your login name.")]
Group = Annotated[
    str | None, typer.Option(metavar="GROUP", help="Be in this group from the start.")
]
Address = Annotated[
    str | None, typer.Option(metavar="ADDRESS:PORT", help="Where everybody speaks.")
]
Listen = Annotated[
    str | None,
    typer.Option(metavar="ADDRESS:PORT", help="Where to listen, if elsewhere: a relay's."),
]
Interface = Annotated[
    str | None, typer.Option(metavar="NAME", help="Name or address of the interface.")
]
Service = Annotated[
    bool | None,
    typer.Option("--service/--no-service", help="Ask the service for what no member has."),
]


def chat(
    context: typer.Context,
    name: Name = None,
    group: Group = None,
    address: Address = None,
    listen: Listen = None,
    interface: Interface = None,
    service: Service = None,
) -> None:
    """Talk in threads with whoever is there: over multicast, without a server.

    Groups on the left, the tree in the middle; Enter on a message answers it. What waits for
    something stands in grey, with what it waits for.
    """
    configuration = load_for(
        context,
        [
            Flag("--name", "chat.name", name),
            Flag("--address", "chat.address", address),
            Flag("--listen", "chat.listen", listen),
            Flag("--interface", "chat.interface", interface),
            Flag("--service", "chat.service", service),
        ],
    ).configuration
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UsageError("the chat needs a terminal; for programs there is the library (members)")
    _talk(configuration, maybe_group=group)


def _talk(configuration: Configuration, *, maybe_group: str | None) -> None:
    from console.chat.app import ChatApp
    from console.chat.opening import open_member

    settings = configuration.chat
    opened = open_member(
        settings, kafka=configuration.kafka, authentication=configuration.authentication
    )
    where = settings.address + (" · with the service" if settings.service else "")
    app = ChatApp(opened, where=where, maybe_group=maybe_group)
    app.run()
    if app.maybe_failure is not None:
        raise app.maybe_failure
