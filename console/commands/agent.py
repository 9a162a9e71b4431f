"""`precede agent`: the edge agent in the foreground."""

from __future__ import annotations

import os
import signal
import threading
from typing import TYPE_CHECKING, Annotated

import typer

from console.configuration.invocation import load_for
from console.configuration.sections import Configuration
from console.configuration.sources import Flag
from console.terminal import CLEAR_LINE, OutputFormat, Terminal, terminal_of_process

if TYPE_CHECKING:
    from ingest.agent import Agent, AgentCounters

READY = "ready: capturing"
"""How the line on standard error begins that says that the groups are joined and Kafka is there."""


def register(app: typer.Typer) -> None:
    """Add `agent`."""
    app.command(
        "agent",
        epilog=(
            "\b\nExamples:\n"
            "  precede agent\n"
            "  precede agent --group 239.255.80.1:5080 --group 239.255.80.2:5080 --output json"
        ),
    )(agent)


def agent(
    context: typer.Context,
    groups: Annotated[
        list[str] | None,
        typer.Option(
            "--group", metavar="ADDRESS:PORT", help="Capture this; repeatable; else agent.groups."
        ),
    ] = None,
    interface: Annotated[
        str | None, typer.Option(help="Address of the interface; else agent.interface.")
    ] = None,
    bootstrap: Annotated[
        str | None, typer.Option(help="Address of the broker; else kafka.bootstrap.")
    ] = None,
    topic_prefix: Annotated[
        str | None, typer.Option(help="First word of the topics; else kafka.topic_prefix.")
    ] = None,
    output: Annotated[
        OutputFormat, typer.Option("--output", help="A table for people or one JSON object.")
    ] = OutputFormat.TABLE,
) -> None:
    """Capture multicast groups and publish every message to the raw topic, unchanged.

    Runs until SIGTERM or Ctrl-C; then it reads what has already arrived, hands it to Kafka, prints
    its counters and ends with exit code 0. If Kafka is away for agent.broker_away_after_ms, the
    exit code is 3.
    """
    terminal = terminal_of_process(os.environ)
    configuration = load_for(
        context,
        [
            Flag("--group", "agent.groups", groups or None),
            Flag("--interface", "agent.interface", interface),
            Flag("--bootstrap", "kafka.bootstrap", bootstrap),
            Flag("--topic-prefix", "kafka.topic_prefix", topic_prefix),
        ],
    ).configuration
    is_stopping = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: is_stopping.set())
    running = open_agent(configuration)
    _say_ready(running, configuration, terminal)
    has_ended_well = False
    try:
        running.run(is_stopping=is_stopping, on_look=lambda seen: _show_status(seen, terminal))
        has_ended_well = True
    finally:
        _show_end(running.counters(), terminal, output, has_ended_well=has_ended_well)


def open_agent(configuration: Configuration) -> Agent:
    """Make the agent that a configuration asks for: joined and connected, not yet running.

    Raises an operator's error if Kafka, the topic or an interface is not there.
    """
    from ingest.agent import Agent
    from ingest.kafka_options import RawTopic
    from sinks.kafka_client import producer_options

    kafka = configuration.kafka
    raw = RawTopic(
        bootstrap=kafka.bootstrap,
        topic=kafka.topics.raw,
        client_options=producer_options(kafka),
    )
    return Agent(configuration.agent, raw)


def _say_ready(running: Agent, configuration: Configuration, terminal: Terminal) -> None:
    counters = running.counters()
    asked, got = counters.receive_buffer_asked_bytes, counters.receive_buffer_got_bytes
    terminal.say(
        f"{READY} {', '.join(configuration.agent.groups)} on {configuration.agent.interface};"
        f" receive buffer {got:,} of {asked:,} bytes asked for"
    )
    if got < asked:
        terminal.say(
            f"the kernel gave {got:,} of {asked:,} bytes; raise net.core.rmem_max for bursts"
        )


def _show_status(counters: AgentCounters, terminal: Terminal) -> None:
    """One moving line; nothing where lines can't move."""
    if not terminal.is_progress_live:
        return
    malformed = sum(counters.malformed.values())
    terminal.progress.write(
        f"{CLEAR_LINE}received {counters.received:,}  published {counters.published:,}"
        f"  waiting {counters.waiting:,}  malformed {malformed:,}"
        f"  kernel drops {counters.kernel_drops:,}  failed {counters.failed:,}"
    )
    terminal.progress.flush()


def _show_end(
    counters: AgentCounters, terminal: Terminal, output: OutputFormat, *, has_ended_well: bool
) -> None:
    if terminal.is_progress_live:
        terminal.progress.write(CLEAR_LINE)
        terminal.progress.flush()
    fields = counters.as_fields()
    if output is OutputFormat.JSON:
        terminal.emit_json({"ok": has_ended_well, **fields})
        return
    malformed = fields.pop("malformed")
    rows = [[name, f"{count:,}"] for name, count in fields.items()]
    rows += [[f"malformed: {reason}", f"{count:,}"] for reason, count in sorted(malformed.items())]
    terminal.emit_table(["counter", "value"], rows)
