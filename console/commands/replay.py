"""`precede replay`: put a log in order here and now, without Spark."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from console.answers.formats import Field, parse_format
from console.answers.rows import RowsFormat
from console.configuration.invocation import load_for
from console.configuration.sources import Flag
from console.errors import UsageError
from console.shared_options import Bootstrap, TopicPrefix
from console.terminal import Terminal, printable, terminal_of_process

if TYPE_CHECKING:
    from console.answers.replaying import Replay, Replayed
    from console.configuration.sections import Configuration

DEFAULT_FORMAT = r"%k %P %i %a  %s\n"


LogFile = Annotated[
    Path | None,
    typer.Argument(
        metavar="FILE",
        help="A pcap or pcapng file, or lines of JSON; without it the raw topics are read.",
        show_default=False,
    ),
]


def register(app: typer.Typer) -> None:
    """Add `replay`."""
    app.command(
        "replay",
        epilog=(
            "\b\nExamples:\n"
            "  precede replay docs/shop.jsonl\n"
            "  precede replay docs/shop.jsonl --discipline fifo -f '%P %u: %s\\n'\n"
            "  precede replay capture.pcapng --output json\n"
            "  precede replay --into build/tables        # the raw topic, as Delta tables"
        ),
    )(replay)


def replay(
    context: typer.Context,
    log: LogFile = None,
    discipline: Annotated[
        str | None,
        typer.Option(metavar="DISCIPLINE", help="Which order; else job.discipline and job.groups."),
    ] = None,
    format_text: Annotated[
        str | None,
        typer.Option(
            "-f", "--format", metavar="FORMAT", help="What to print for each message; as in tail."
        ),
    ] = None,
    into: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Also write the Delta tables, into a new folder."),
    ] = None,
    is_quiet: Annotated[bool, typer.Option("--quiet", help="Print no messages.")] = False,
    bootstrap: Bootstrap = None,
    topic_prefix: TopicPrefix = None,
    output: Annotated[
        RowsFormat,
        typer.Option("--output", help="Lines of a format, lines of JSON, or only the sums."),
    ] = RowsFormat.TABLE,
) -> None:
    """Put a log in order with the job's own engine, in this process, and print what is delivered.

    The same log gives the same messages at the same positions as the job. Time passes in the log
    by its ticks only.
    """
    if output is not RowsFormat.TABLE and format_text is not None:
        raise UsageError("--format is for lines; leave it out, or leave out --output")
    terminal = terminal_of_process(os.environ)
    configuration = load_for(
        context,
        [
            Flag("--bootstrap", "kafka.bootstrap", bootstrap),
            Flag("--topic-prefix", "kafka.topic_prefix", topic_prefix),
            Flag("--discipline", "job.discipline", discipline),
        ],
    ).configuration
    started = time.monotonic()
    run = _Run(configuration, log, into)
    write = parse_format(format_text or DEFAULT_FORMAT, is_for_people=terminal.out.isatty())
    for replayed in run.parts():
        if not is_quiet and output is not RowsFormat.JSON:
            _print(terminal, replayed, None if output is RowsFormat.JSONL else write)
    _sum_up(terminal, run.replay, output, seconds=time.monotonic() - started)


class _Run:
    """One replay and where its results go."""

    def __init__(self, configuration: Configuration, log: Path | None, into: Path | None) -> None:
        from console.answers.replaying import Replay
        from streaming.policy import group_policies

        self._configuration = configuration
        self._maybe_log = log
        self._maybe_into = into
        policies = group_policies(configuration.job)
        if log is None:
            from sinks.kafka_client import raw_shards

            self.replay = Replay(policies, places=raw_shards(configuration.kafka))
        else:
            self.replay = Replay(policies)

    def parts(self) -> Iterator[Replayed]:
        from console.answers.log_file import read_log
        from console.answers.table_writing import TableWriter

        if self._maybe_log is None:
            parts = self.replay.of_topics(self._configuration.kafka)
        else:
            subscriptions = self._configuration.agent.subscriptions()
            parts = self.replay.of_file(read_log(self._maybe_log, subscriptions=subscriptions))
        maybe_writer = None if self._maybe_into is None else TableWriter(self._maybe_into)
        for replayed in parts:
            if maybe_writer is not None:
                maybe_writer.take(replayed)
            yield replayed
        if maybe_writer is not None:
            maybe_writer.finish()


def _print(terminal: Terminal, replayed: Replayed, maybe_write: Field | None) -> None:
    from console.commands.tail import json_of
    from sinks.consumer_delivery import delivery_of_record

    for key, value in replayed.ordered:
        delivery = delivery_of_record(key, value)
        terminal.out.write(
            json_of(delivery) + "\n" if maybe_write is None else maybe_write(delivery)
        )
    terminal.out.flush()


def _sum_up(terminal: Terminal, replay: Replay, output: RowsFormat, *, seconds: float) -> None:
    counters = replay.counters()
    names = ("captured", "delivered", "held", "duplicates", "quarantined", "groups")
    sums = {name: getattr(counters, name) for name in names}
    if output is RowsFormat.JSON:
        terminal.emit_json({"ok": True, **sums, "seconds": round(seconds, 3)})
        return
    line = "  ".join(f"{name} {count}" for name, count in sums.items())
    terminal.say(f"{printable(line)}  in {seconds:.2f} s")
