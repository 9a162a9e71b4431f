"""`precede agent`: the edge agent in the foreground."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from console.agent_status import StatusLine
from console.configuration.invocation import load_for
from console.configuration.sections import Configuration
from console.configuration.sources import Flag
from console.errors import describe
from console.shared_options import TABLE, Bootstrap, Output, TopicPrefix
from console.terminal import CLEAR_LINE, OutputFormat, Terminal, terminal_of_process
from ingest.interpreter import prepare_interpreter
from ingest.telemetry.journal import Journal, Level, Tell, is_json_wanted

if TYPE_CHECKING:
    from ingest.agent import Agent
    from ingest.counters import AgentCounters
    from ingest.replaying import Replay


class FilePace(StrEnum):
    """How fast a capture file is read: the words of `ingest.files.source.Pace`."""

    FULL = "full"
    RECORDED = "recorded"


READY = "ready: capturing"
"""How the line on standard error begins that says that the groups are joined (its message, where
the log is JSON)."""


def register(app: typer.Typer) -> None:
    """Add `agent`."""
    app.command(
        "agent",
        epilog=(
            "\b\nExamples:\n"
            "  precede agent\n"
            "  precede agent --group 239.255.80.1:5080 --group 239.255.80.2:5080 --output json\n"
            "  precede agent --group 10.0.0.7@232.1.1.1:5080%eth1 --group [ff15::80]:5080%eth0\n"
            "  precede agent --file capture.pcapng --pace recorded"
        ),
    )(agent)


Groups = Annotated[
    list[str] | None,
    typer.Option(
        "--group", metavar="ADDRESS:PORT", help="Capture this; repeatable; else agent.groups."
    ),
]
Interface = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="Name or address of the interface; else agent.interface."),
]
File = Annotated[
    Path | None,
    typer.Option("--file", metavar="PATH", help="Read a pcap or pcapng file, not the network."),
]
ReadPace = Annotated[
    FilePace, typer.Option("--pace", help="Read the file at full speed, or as it was recorded.")
]


def agent(
    context: typer.Context,
    groups: Groups = None,
    interface: Interface = None,
    file: File = None,
    pace: ReadPace = FilePace.FULL,
    bootstrap: Bootstrap = None,
    topic_prefix: TopicPrefix = None,
    output: Output = TABLE,
) -> None:
    """Capture multicast groups and publish every message to the raw topic, unchanged.

    Runs until SIGTERM or Ctrl-C; then it reads what has already arrived, hands it to Kafka, prints
    its counters and ends with exit code 0. What Kafka has not taken by then stays in the spool
    (spool.directory) and goes first at the next start. SIGHUP reads keys and groups again.

    With --file it takes the same groups from a capture file, and ends when the file does.

    If Kafka goes away the agent goes on: messages wait in the spool. Only an agent that has never
    reached its topic ends when there is no Kafka, with exit code 3.
    """
    terminal = terminal_of_process(os.environ)
    flags = [
        Flag("--group", "agent.groups", groups or None),
        Flag("--interface", "agent.interface", interface),
        Flag("--bootstrap", "kafka.bootstrap", bootstrap),
        Flag("--topic-prefix", "kafka.topic_prefix", topic_prefix),
    ]
    maybe_replay = _replay_of(file, pace)
    run_agent(lambda: load_for(context, flags).configuration, terminal, output, maybe_replay)


def run_agent(
    load: Callable[[], Configuration],
    terminal: Terminal,
    output: OutputFormat,
    maybe_replay: Replay | None = None,
) -> None:
    """Run the agent of a configuration until a signal, or the end of a file, ends it; `load` reads
    that configuration.
    """
    configuration = load()
    is_stopping, is_reloading = threading.Event(), threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: is_stopping.set())
    signal.signal(signal.SIGHUP, lambda *_: is_reloading.set())
    journal = _journal_for(configuration, terminal)
    running = open_agent(configuration, tell=journal, maybe_replay=maybe_replay)
    if maybe_replay is None:
        _say_ready(running, configuration, terminal, journal)
    else:
        _say_reading(maybe_replay, configuration, terminal, journal)

    line = StatusLine(terminal)

    def look(counters: AgentCounters) -> None:
        line.show(counters)
        if is_reloading.is_set():
            is_reloading.clear()
            reload(running, load, journal)

    prepare_interpreter()
    has_ended_well = False
    try:
        running.run(is_stopping=is_stopping, on_look=look)
        has_ended_well = True
    finally:
        line.clear()
        _say_elsewhere(running, journal)
        _show_end(running.counters(), terminal, output, has_ended_well=has_ended_well)


def open_agent(
    configuration: Configuration, *, tell: Tell, maybe_replay: Replay | None = None
) -> Agent:
    """Make the agent that a configuration asks for: joined, or at the beginning of a file, and not
    yet running.

    Raises an operator's error if the topic, an interface or the spool can't be used.
    """
    from ingest.agent import Agent, AgentPlan
    from ingest.kafka_options import RawTopic
    from sinks.kafka_client import producer_options

    kafka = configuration.kafka
    raw = RawTopic(
        bootstrap=kafka.bootstrap,
        topic=kafka.topics.raw,
        client_options=producer_options(kafka),
    )
    plan = AgentPlan(
        agent=configuration.agent,
        spool=configuration.spool,
        publish=configuration.publish,
        authentication=configuration.authentication,
        mapping=configuration.mapping,
        maybe_replay=maybe_replay,
    )
    return Agent(plan, raw, tell=tell)


def reload(running: Agent, load: Callable[[], Configuration], tell: Tell) -> None:
    """Read the configuration again and let the agent take from it what may change while it runs.

    A configuration that can't be used is told, and the agent goes on as it was.
    """
    try:
        running.reload(load().agent)
    except Exception as error:
        maybe_failure = describe(error)
        if maybe_failure is None:
            raise
        tell(Level.ERROR, "reload_refused", f"All stays as it was: {maybe_failure.message}")


def _replay_of(maybe_file: Path | None, pace: FilePace) -> Replay | None:
    from ingest.files.source import Pace
    from ingest.replaying import Replay

    return None if maybe_file is None else Replay(maybe_file, Pace(pace.value))


def _say_reading(
    replay: Replay, configuration: Configuration, terminal: Terminal, journal: Journal
) -> None:
    sentence = f"{READY} {', '.join(configuration.agent.groups)} from {replay.path}"
    if journal.is_json:
        journal(Level.INFO, "ready", sentence)
    else:
        terminal.say(sentence)


def _say_elsewhere(running: Agent, journal: Journal) -> None:
    """Tell whoever got nothing out of a file what it has."""
    if running.elsewhere and not running.counters().received:
        address, count = running.elsewhere.most_common(1)[0]
        journal(
            Level.WARNING,
            "elsewhere",
            f"The file has nothing for these groups, but {count:,} datagrams to {address};"
            f" take them with --group {address}",
        )


def _journal_for(configuration: Configuration, terminal: Terminal) -> Journal:
    is_json = is_json_wanted(configuration.agent.log_format, is_terminal=terminal.progress.isatty())
    before = CLEAR_LINE if terminal.is_progress_live else ""
    return Journal(terminal.progress, is_json=is_json, before=before)


def _say_ready(
    running: Agent,
    configuration: Configuration,
    terminal: Terminal,
    journal: Journal,
) -> None:
    """Say that the groups are joined: one line that other programs wait for."""
    counters = running.counters()
    asked, got = counters.receive_buffer_asked_bytes, counters.receive_buffer_got_bytes
    groups = ", ".join(configuration.agent.groups)
    if journal.is_json:
        sentence = f"{READY} {groups}"
        journal(
            Level.INFO, "ready", sentence,
            interface=configuration.agent.interface, waiting=counters.waiting,
            receive_buffer_asked_bytes=asked, receive_buffer_got_bytes=got,
            status_port=running.status.port,
        )  # fmt: skip
    else:
        terminal.say(
            f"{READY} {groups} on {configuration.agent.interface};"
            f" receive buffer {got:,} of {asked:,} bytes asked for"
        )
    if got < asked:
        journal(
            Level.WARNING,
            "small_buffer",
            f"The kernel gave {got:,} of {asked:,} bytes; raise net.core.rmem_max for bursts",
        )


def _show_end(
    counters: AgentCounters, terminal: Terminal, output: OutputFormat, *, has_ended_well: bool
) -> None:
    fields = counters.as_fields()
    if output is OutputFormat.JSON:
        terminal.emit_json({"ok": has_ended_well, **fields})
        return
    by_reason = {name: fields.pop(name) for name in ("malformed", "refused", "left_out")}
    rows = [[name, f"{count:,}"] for name, count in fields.items()]
    for name, counts in by_reason.items():
        rows += [[f"{name}: {reason}", f"{count:,}"] for reason, count in sorted(counts.items())]
    terminal.emit_table(["counter", "value"], rows)
