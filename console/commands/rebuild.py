"""`precede rebuild`: make the tables anew from the log, and say what differs."""

from __future__ import annotations

import os
from contextlib import ExitStack
from typing import TYPE_CHECKING, Annotated

import typer

from console.configuration.invocation import load_for
from console.configuration.sections import Configuration
from console.errors import ExitCode, OperatorError
from console.shared_options import TABLE, Output
from console.terminal import (
    Colour,
    OutputFormat,
    Terminal,
    printable,
    terminal_of_process,
)

if TYPE_CHECKING:
    from streaming.rebuilding import Difference


def register(app: typer.Typer) -> None:
    """Add `rebuild`."""
    app.command(
        "rebuild",
        epilog=(
            "\b\nExamples:\n"
            "  precede rebuild                # compare the tables with what the log says\n"
            "  precede rebuild --apply        # put the new ones in their place"
        ),
    )(rebuild)


def rebuild(
    context: typer.Context,
    is_applied: Annotated[
        bool, typer.Option("--apply", help="Put the new tables in place; without this, compare.")
    ] = False,
    output: Output = TABLE,
) -> None:
    """Order the log once more into new tables, compare them with the old, and switch.

    The job must be stopped. The new tables must verify before they are put in place; each table is
    replaced in one commit, and its version before stays reachable until `precede upkeep` removes
    it. Tables that are right are left as they are. Exit code 1 if they differ and were left.
    """
    from streaming.checkpoint_lock import checkpoint_lock
    from streaming.errors import spark_classified
    from streaming.job import check_topics

    terminal = terminal_of_process(os.environ)
    configuration = load_for(context).configuration
    check_topics(configuration.kafka)
    with checkpoint_lock(configuration.job.checkpoint_directory), spark_classified():
        differences = _rebuild(configuration, terminal, is_applied=is_applied)
    is_right = show(differences, terminal, output, is_applied=is_applied)
    raise typer.Exit(ExitCode.OK if is_right else ExitCode.CHECK_FAILED)


def _rebuild(
    configuration: Configuration, terminal: Terminal, *, is_applied: bool
) -> list[Difference]:
    from console.local_jars import jars_for
    from console.verification_sources import newest_counters, verify_sources
    from streaming.policy import group_policies
    from streaming.rebuilding import compare, rebuilt_tables, switch
    from streaming.session import open_session

    kafka, settings = configuration.kafka, configuration.job
    policies, directory = group_policies(settings), settings.tables_directory
    with ExitStack() as parts:
        with terminal.step("starting Spark"):
            session = open_session(settings, jars=jars_for(settings.spark_master))
        with terminal.step("ordering the log once more"):
            beside = parts.enter_context(
                rebuilt_tables(
                    session,
                    directory,
                    kafka=kafka,
                    policies=policies,
                    counters=newest_counters(kafka),
                )
            )
        with terminal.step("comparing"):
            differences = compare(session, directory, beside)
            report = verify_sources(kafka, beside, policies=policies)
        if not report.ok:
            raise OperatorError(
                "this release orders the log otherwise than the one that wrote the topics "
                f"({report.line()}), so nothing was changed: to have its order, start the job with "
                "new topics, a new job.checkpoint_directory and a new job.tables_directory",
                ExitCode.CHECK_FAILED,
            )
        if is_applied and not is_same(differences):
            with terminal.step("putting the new tables in place"):
                switch(session, directory, beside)
    return differences


def is_same(differences: list[Difference]) -> bool:
    """Were all tables as the log says?"""
    return all(one.is_none for one in differences)


def show(
    differences: list[Difference], terminal: Terminal, output: OutputFormat, *, is_applied: bool
) -> bool:
    """One line for each table: what the old one lacked, and what it had that the log has not.

    Gives whether the tables are right now.
    """
    were_right = is_same(differences)
    is_replaced = is_applied and not were_right
    is_right = were_right or is_replaced
    if output is OutputFormat.JSON:
        terminal.emit_json(
            {
                "ok": is_right,
                "same": were_right,
                "applied": is_replaced,
                "tables": [one._asdict() for one in differences],
            }
        )
        return is_right
    rows = [
        [one.table, str(one.rows), str(one.missing), str(one.foreign), str(one.different)]
        for one in differences
    ]
    terminal.emit_table(["table", "rows", "missing", "foreign", "different"], rows)
    for one in differences:
        if not one.is_none:
            terminal.emit(f"{terminal.paint(one.table, Colour.BAD)} {_sentence(one)}")
    if were_right:
        terminal.say("the tables are as the log says, and were left as they are")
    elif is_replaced:
        terminal.say(
            "the new tables are in place; what stood there before is their version before, until "
            "precede upkeep removes its files"
        )
    else:
        terminal.say("nothing was changed; --apply puts the new tables in place")
    return is_right


def _sentence(one: Difference) -> str:
    """How a table differed, in words."""
    if one.trouble:
        return f"could not be read: {printable(one.trouble)}"
    words = [
        f"lacked {one.missing} of the log's rows" if one.missing else "",
        f"had {one.foreign} that the log does not have" if one.foreign else "",
        f"had {one.different} that say something else" if one.different else "",
    ]
    return ", ".join(filter(None, words))
