"""`precede relay`: repeat a multicast group to another one, damaged on purpose."""

from __future__ import annotations

import dataclasses
import os
import signal
import threading
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from console.terminal import OutputFormat, terminal_of_process

if TYPE_CHECKING:
    from ingest.faults import Faults

READY = "ready: relaying"
"""How the line on standard error begins that says that the group is joined."""

PERCENT = 100
MICROSECONDS_PER_MILLISECOND = 1_000


class WhenLost(StrEnum):
    """What becomes of a datagram that is lost: the words of `ingest.faults.Loss`."""

    RESENT = "resent"
    FOR_GOOD = "for_good"


def register(app: typer.Typer) -> None:
    """Add `relay`."""
    app.command(
        "relay",
        epilog=(
            "\b\nExample, between members on port 5080 and an agent on port 5081:\n"
            "  precede relay --from 239.255.80.1:5080 --to 239.255.80.1:5081 --loss 5 --dup 5"
        ),
    )(relay)


def relay(
    source: Annotated[
        str, typer.Option("--from", metavar="ADDRESS:PORT", help="Group to listen to.")
    ],
    target: Annotated[str, typer.Option("--to", metavar="ADDRESS:PORT", help="Group to send to.")],
    interface: Annotated[str, typer.Option(help="Address of the interface.")] = "127.0.0.1",
    seed: Annotated[int, typer.Option(help="The same seed draws the same faults.")] = 1,
    loss: Annotated[
        float, typer.Option(min=0, max=100, help="Percent of datagrams that are lost.")
    ] = 0.0,
    duplication: Annotated[
        float, typer.Option("--dup", min=0, max=100, help="Percent that arrive twice.")
    ] = 0.0,
    jitter_ms: Annotated[
        int, typer.Option(min=0, help="Each copy is delayed by up to this, and so shuffled.")
    ] = 0,
    resend_after_ms: Annotated[
        int, typer.Option(min=0, help="When a lost datagram is sent again.")
    ] = 200,
    when_lost: Annotated[
        WhenLost, typer.Option(help="Whether a lost datagram is sent again.")
    ] = WhenLost.RESENT,
    output: Annotated[
        OutputFormat, typer.Option("--output", help="A table for people or one JSON object.")
    ] = OutputFormat.TABLE,
) -> None:
    """Lose, repeat and shuffle the datagrams of a multicast group, by a seed: a bad network.

    Runs until SIGTERM or Ctrl-C; then it sends at once what still waits, prints its counters and
    ends with exit code 0.
    """
    from ingest.faults import Faults, Loss

    faults = Faults(
        seed=seed,
        loss=loss / PERCENT,
        duplication=duplication / PERCENT,
        jitter_us=jitter_ms * MICROSECONDS_PER_MILLISECOND,
        resend_after_us=resend_after_ms * MICROSECONDS_PER_MILLISECOND,
        loss_is=Loss(when_lost.value),
    )
    _relay(faults, source, target, interface=interface, output=output)


def _relay(
    faults: Faults, source: str, target: str, *, interface: str, output: OutputFormat
) -> None:
    from ingest.relay import Relay
    from ingest.wire.multicast import parse_group_address

    terminal = terminal_of_process(os.environ)
    is_stopping = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: is_stopping.set())
    running = Relay(
        faults,
        source=parse_group_address(source),
        target=parse_group_address(target),
        interface=interface,
    )
    terminal.say(f"{READY} {source} to {target} on {interface}, seed {faults.seed}")
    running.run(is_stopping=is_stopping)
    counts = dataclasses.asdict(running.counters)
    if output is OutputFormat.JSON:
        terminal.emit_json({"ok": True, **counts})
    else:
        terminal.emit_table(["counter", "value"], [[name, f"{n:,}"] for name, n in counts.items()])
