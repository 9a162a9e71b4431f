"""`precede relay`: repeat a multicast group to another one, damaged on purpose."""

from __future__ import annotations

import dataclasses
import os
import signal
import threading
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from console.shared_options import TABLE, Output
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


class Way(NamedTuple):
    """From where to where a relay carries, as the flags say it."""

    source: str
    target: str
    interface: str
    to_interface: str
    hops: int


def register(app: typer.Typer) -> None:
    """Add `relay`."""
    app.command(
        "relay",
        epilog=(
            "\b\nExamples, between members on port 5080 and an agent on port 5081:\n"
            "  precede relay --from 239.255.80.1:5080 --to 239.255.80.1:5081 --loss 5 --dup 5\n"
            "  precede relay --from 239.255.80.1:5080 --to 239.255.80.1:5081 --seed 7 \\\n"
            "      --jitter-ms 40 --reorder 2 --corrupt 1 --partition-for-ms 3000\n"
            "\b\nFrom one network to another, with a slow line between them:\n"
            "  precede relay --from [ff15::80]:5080 --to [ff15::80]:5080 \\\n"
            "      --interface eth0 --to-interface eth1 --delay-ms 80"
        ),
    )(relay)


def _percent(help_text: str, *names: str) -> Any:
    return typer.Option(*names, metavar="PERCENT", min=0, max=100, help=help_text)


def _ms(help_text: str) -> Any:
    return typer.Option(metavar="MS", min=0, help=help_text)


From = Annotated[str, typer.Option("--from", metavar="ADDRESS:PORT", help="Group to listen to.")]
To = Annotated[str, typer.Option("--to", metavar="ADDRESS:PORT", help="Group to send to.")]
Interface = Annotated[str, typer.Option(metavar="NAME", help="Name or address of the interface.")]
ToInterface = Annotated[
    str | None, typer.Option(metavar="NAME", help="The one to send from, if it is another.")
]
Hops = Annotated[
    int, typer.Option(metavar="COUNT", min=0, max=255, help="How many routers far it is sent.")
]
Seed = Annotated[int, typer.Option(metavar="SEED", help="The same seed draws the same faults.")]
Lost = Annotated[float, _percent("Percent of datagrams that are lost.")]
Twice = Annotated[float, _percent("Percent that arrive twice.", "--dup")]
Delay = Annotated[int, _ms("Each copy is delayed by this.")]
Jitter = Annotated[int, _ms("And by up to this, drawn anew, and so shuffled.")]
HeldBack = Annotated[float, _percent("Percent that are held back, and overtaken.")]
HeldFor = Annotated[int, _ms("How long those are held.")]
Wrong = Annotated[float, _percent("Percent with a wrong bit.", "--corrupt")]
CutFor = Annotated[int, _ms("The network is cut now and then, about this long.")]
CutEvery = Annotated[int, _ms("How long it is whole in between, about.")]
ResendAfter = Annotated[int, _ms("When a lost or wrong datagram is sent again.")]
Resends = Annotated[WhenLost, typer.Option(help="Whether a lost or wrong datagram is sent again.")]


def relay(
    source: From,
    target: To,
    interface: Interface = "127.0.0.1",
    to_interface: ToInterface = None,
    hops: Hops = 1,
    seed: Seed = 1,
    loss: Lost = 0.0,
    duplication: Twice = 0.0,
    delay_ms: Delay = 0,
    jitter_ms: Jitter = 0,
    reorder: HeldBack = 0.0,
    reorder_by_ms: HeldFor = 50,
    corruption: Wrong = 0.0,
    partition_for_ms: CutFor = 0,
    partition_every_ms: CutEvery = 10_000,
    resend_after_ms: ResendAfter = 200,
    when_lost: Resends = WhenLost.RESENT,
    output: Output = TABLE,
) -> None:
    """Lose, repeat, delay, shuffle and damage the datagrams of a multicast group, by a seed.

    A bad network for tests: whoever listens to the second group hears the first one through it.

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
        corruption=corruption / PERCENT,
        delay_us=delay_ms * MICROSECONDS_PER_MILLISECOND,
        reorder=reorder / PERCENT,
        reorder_by_us=reorder_by_ms * MICROSECONDS_PER_MILLISECOND,
        partition_every_us=partition_every_ms * MICROSECONDS_PER_MILLISECOND,
        partition_for_us=partition_for_ms * MICROSECONDS_PER_MILLISECOND,
    )
    way = Way(source, target, interface, to_interface or interface, hops)
    _relay(faults, way, output=output)


def _relay(faults: Faults, way: Way, *, output: OutputFormat) -> None:
    from ingest.relay import Relay
    from ingest.wire.multicast import parse_group_address

    terminal = terminal_of_process(os.environ)
    is_stopping = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: is_stopping.set())
    running = Relay(
        faults,
        source=parse_group_address(way.source),
        target=parse_group_address(way.target),
        interface=way.interface,
        maybe_target_interface=way.to_interface,
        hops=way.hops,
    )
    terminal.say(
        f"{READY} {way.source} on {way.interface} to {way.target} on {way.to_interface},"
        f" seed {faults.seed}"
    )
    running.run(is_stopping=is_stopping)
    counts = dataclasses.asdict(running.counters)
    if output is OutputFormat.JSON:
        terminal.emit_json({"ok": True, **counts})
    else:
        terminal.emit_table(["counter", "value"], [[name, f"{n:,}"] for name, n in counts.items()])
