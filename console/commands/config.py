"""`precede config`: what is set, where it came from, whether it can be used; a file to start."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Any

import typer

from console.configuration.invocation import global_options_of, load_for
from console.configuration.loading import Loaded, Setting
from console.configuration.options import SECRET_SHOWN_AS
from console.configuration.reference import reference_page
from console.configuration.sources import FILE_NAME, display_name
from console.configuration.template import template
from console.errors import ConfigurationError, ExitCode, OperatorError
from console.shared_options import TABLE, Output
from console.terminal import Colour, OutputFormat, Terminal, terminal_of_process


def register(app: typer.Typer) -> None:
    """Add `config show`, `config check` and `config init`."""
    group = typer.Typer(
        help="Show, check or start the configuration.",
        epilog=(
            "\b\nExamples:\n"
            "  precede config show --origin\n"
            "  precede config check --config site.toml\n"
            "  precede config init"
        ),
        no_args_is_help=True,
        rich_markup_mode=None,
    )
    group.command("show", short_help="Show every value, and where it came from.")(show)
    group.command("check", short_help="Say whether it can be used, or every problem.")(check)
    group.command("init", short_help="Write a commented file to start from.")(init)
    group.command("reference", hidden=True)(reference)
    app.add_typer(group, name="config")


def show(
    context: typer.Context,
    is_origin_wanted: Annotated[
        bool,
        typer.Option("--origin", help="Add where each value came from."),
    ] = False,
    output: Output = TABLE,
) -> None:
    """Show every value; a secret is shown as stars."""
    terminal = terminal_of_process(os.environ)
    loaded = _load_or_end(context, terminal, output)
    if output is OutputFormat.JSON:
        terminal.emit_json(_as_json(loaded))
        return
    header = ["KEY", "VALUE", "ORIGIN"] if is_origin_wanted else ["KEY", "VALUE"]
    rows = []
    for setting in loaded.settings:
        rows.append([setting.option.path, setting.shown or "-", setting.origin.text])
        secret = _secret_of(setting)
        if secret is not None:
            rows.append([secret, SECRET_SHOWN_AS, f"file {setting.value}"])
    terminal.emit_table(header, [row[: len(header)] for row in rows])


def check(context: typer.Context, output: Output = TABLE) -> None:
    """Say whether the configuration can be used: one line, or every problem and exit code 4."""
    terminal = terminal_of_process(os.environ)
    loaded = _load_or_end(context, terminal, output)
    if output is OutputFormat.JSON:
        terminal.emit_json({"ok": True, "problems": []})
        return
    changed = sum(setting.origin.kind != "default" for setting in loaded.settings)
    source = display_name(loaded.maybe_file) if loaded.maybe_file else f"no {FILE_NAME}"
    terminal.emit(
        f"{terminal.paint('ok', Colour.GOOD)}: {source}; "
        f"{len(loaded.settings)} values, {changed} of them set, the rest defaults"
    )


def init(context: typer.Context) -> None:
    """Write a commented precede.toml, or the file that --config names; never over another."""
    terminal = terminal_of_process(os.environ)
    path = global_options_of(context).config_file or Path(FILE_NAME)
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(template())
    except FileExistsError as error:
        raise OperatorError(
            f"{path} exists and is not written over; move it away, or name another with --config",
            ExitCode.CONFIGURATION,
        ) from error
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise OperatorError(
            f"{path} cannot be written ({reason}); choose another place with --config",
            ExitCode.CONFIGURATION,
        ) from error
    terminal.emit(f"wrote {path}; next: precede config check")


def reference() -> None:
    """Print docs/reference/configuration.md, which is made from the code."""
    terminal_of_process(os.environ).emit(reference_page().rstrip("\n"))


def _as_json(loaded: Loaded) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for setting in loaded.settings:
        values[setting.option.path] = {
            "value": SECRET_SHOWN_AS if setting.option.is_secret else setting.value,
            "origin": setting.origin.text,
            "kind": setting.origin.kind,
        }
        secret = _secret_of(setting)
        if secret is not None:
            values[secret] = {
                "value": SECRET_SHOWN_AS,
                "origin": f"file {setting.value}",
                "kind": setting.origin.kind,
            }
    file = None if loaded.maybe_file is None else display_name(loaded.maybe_file)
    return {"ok": True, "file": file, "values": values}


def _secret_of(setting: Setting) -> str | None:
    """The name of the secret that a file given here holds: `kafka.password`."""
    name = setting.option.maybe_secret_name
    return None if name is None or setting.value is None else f"{setting.option.section}.{name}"


def _load_or_end(context: typer.Context, terminal: Terminal, output: OutputFormat) -> Loaded:
    """Load, or say every problem in the format that was asked for and end."""
    try:
        return load_for(context)
    except ConfigurationError as error:
        if output is OutputFormat.JSON:
            terminal.emit_json({"ok": False, "problems": error.problems})
        else:
            for problem in error.problems:
                terminal.complain(problem)
            count = len(error.problems)
            terminal.complain(f"{count} problem{'' if count == 1 else 's'} in the configuration")
        raise typer.Exit(ExitCode.CONFIGURATION) from error
