"""The command `precede`: finds the command that is meant, loads only that one, and ends well.

`main` is what the shell starts. It

1. moves the options that every command has (`--config`, `--set`) to the front, so that they may
   stand anywhere: `precede run --config site.toml` is `precede --config site.toml run`;
2. imports the module of the command that is meant, or of all of them if it has to list them;
3. runs it and turns whatever happens into one sentence and an exit code (`console.errors`).
"""

from __future__ import annotations

import importlib
import importlib.metadata
import os
import pkgutil
import re
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer
from typer._completion_classes import completion_init
from typer.core import TyperGroup

import console.commands
from console.configuration.invocation import GlobalOptions
from console.crash import write_crash_report
from console.errors import ExitCode, describe
from console.terminal import Terminal, terminal_of_process

DISTRIBUTION = "precede"
DEBUG_VARIABLE = "PRECEDE_DEBUG"
GLOBAL_OPTIONS = ("--config", "--set")
VERSION_OPTION = "--version"

SUMMARY = """Deliver the messages of a group in the order that their meaning asks for."""

EPILOG = """\b
Examples:
  precede doctor               # Is everything here that Precede needs?
  precede demo                 # See it work: one command, a minute or two
  precede config init          # Write a commented precede.toml
  precede run                  # Order what the agents capture
  precede tail --from oldest   # Follow what is delivered
  precede why bob#1:2          # Why has this message not arrived?
  precede --set kafka.partitions=4 config show --origin

\b
Exit codes: 0 ok, 1 a check failed, 2 usage, 3 cannot connect, 4 configuration,
70 a fault of ours (a crash report is written), 130 interrupted.
"""


def main() -> NoReturn:
    """The entry point of the distribution; never returns and never shows a stack trace unasked."""
    sys.exit(run(sys.argv[1:], terminal=terminal_of_process(os.environ)))


def run(arguments: Sequence[str], *, terminal: Terminal) -> int:
    """Run one command line and give its exit code; `main` without the process around it."""
    try:
        hoisted = hoist_global_options(arguments)
        build_app(commands_needed(hoisted))(args=hoisted, prog_name=DISTRIBUTION)
    except SystemExit as end:
        if end.code == ExitCode.INTERRUPTED:
            terminal.complain("interrupted")
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    except KeyboardInterrupt:
        terminal.complain("interrupted")
        return ExitCode.INTERRUPTED
    except BrokenPipeError:
        # Whoever read the result (`| head`) has enough; Python must not write the rest at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return ExitCode.OK
    except Exception as error:
        return _end_badly(error, arguments, terminal)
    return ExitCode.OK


class Alphabetical(TyperGroup):
    """Lists commands by name, whether they have parts or not."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Called for the help."""
        return sorted(super().list_commands(ctx))


def build_app(commands: Sequence[str]) -> typer.Typer:
    """Make the typer app with these commands; each one's module is imported now and not before."""
    app = typer.Typer(
        name=DISTRIBUTION,
        help=SUMMARY,
        epilog=EPILOG,
        cls=Alphabetical,
        no_args_is_help=True,
        add_completion=False,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    completion_init()  # what the scripts of `precede completion` ask
    app.callback()(_global_options)
    for name in commands:
        module = importlib.import_module(f"{console.commands.__name__}.{name.replace('-', '_')}")
        module.register(app)
    for info in app.registered_commands:
        if info.short_help is None and info.callback is not None:
            info.short_help = brief(info.help or info.callback.__doc__ or "")
    return app


def brief(text: str) -> str:
    """What the list of commands says about one: its help up to the first pause."""
    return f"{re.split('[.:;](?: |$)', ' '.join(text.split()), maxsplit=1)[0]}."


def command_names() -> list[str]:
    """The names of all commands, read from the folder without importing any."""
    modules = pkgutil.iter_modules(console.commands.__path__)
    return sorted(module.name.replace("_", "-") for module in modules)


def commands_needed(arguments: Sequence[str]) -> list[str]:
    """Which commands this command line needs, after `hoist_global_options`.

    The one that it names; none for the version; all of them for help, completion or a misspelt
    name, which is answered with the nearest.
    """
    rest = list(arguments)
    while rest and rest[0].startswith("-"):
        if rest[0] == VERSION_OPTION:
            return []
        rest = rest[2:] if rest[0] in GLOBAL_OPTIONS else rest[1:]
    return rest[:1] if rest and rest[0] in command_names() else command_names()


def hoist_global_options(arguments: Sequence[str]) -> list[str]:
    """Move `--config FILE` and `--set NAME=VALUE` to the front, up to a lone `--`."""
    front: list[str] = []
    rest: list[str] = []
    waiting = list(arguments)
    while waiting:
        argument = waiting.pop(0)
        if argument == "--":
            rest += [argument, *waiting]
            break
        if argument in GLOBAL_OPTIONS:
            front += [argument, *waiting[:1]]
            waiting = waiting[1:]
        elif argument.startswith(tuple(f"{option}=" for option in GLOBAL_OPTIONS)):
            front += argument.split("=", 1)
        else:
            rest.append(argument)
    return front + rest


def version() -> str:
    """The version that is installed."""
    try:
        return importlib.metadata.version(DISTRIBUTION)
    except importlib.metadata.PackageNotFoundError:
        return "0+not-installed"


def _show_version(is_wanted: bool) -> None:
    if is_wanted:
        typer.echo(f"{DISTRIBUTION} {version()}")
        raise typer.Exit


def _global_options(
    context: typer.Context,
    config_file: Annotated[
        Path | None,
        typer.Option(
            "--config",
            metavar="FILE",
            help="Read this file and not precede.toml of the current folder.",
            show_default=False,
        ),
    ] = None,
    assignments: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="SECTION.KEY=VALUE",
            help="Set one value over file and environment; may be repeated.",
            show_default=False,
        ),
    ] = None,
    _is_version_wanted: Annotated[
        bool,
        typer.Option(
            VERSION_OPTION, help="Show the version.", callback=_show_version, is_eager=True
        ),
    ] = False,
) -> None:
    context.obj = GlobalOptions(config_file=config_file, assignments=tuple(assignments or ()))


def _end_badly(error: Exception, arguments: Sequence[str], terminal: Terminal) -> int:
    """An operator's error is its sentence; anything else is a crash report and where it is."""
    if os.environ.get(DEBUG_VARIABLE):
        traceback.print_exception(error, file=terminal.progress)
    maybe_failure = describe(error)
    if maybe_failure is not None:
        for line in maybe_failure.message.splitlines():
            terminal.complain(line)
        return maybe_failure.exit_code
    maybe_report = write_crash_report(error, arguments=arguments, version=version())
    where = f"the report is in {maybe_report}" if maybe_report else "no report could be written"
    terminal.complain(
        f"this is a fault in Precede ({type(error).__name__}); {where}; "
        f"{DEBUG_VARIABLE}=1 shows it here"
    )
    return ExitCode.CRASH
