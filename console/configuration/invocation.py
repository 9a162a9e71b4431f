"""How a command gets its configuration: `load_for(context)` knows `--config` and `--set`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import typer

from console.configuration.loading import Loaded, load
from console.configuration.sources import Flag


@dataclass(frozen=True, kw_only=True, slots=True)
class GlobalOptions:
    """What was given for every command; `console.command` puts it into `context.obj`."""

    config_file: Path | None = None
    assignments: tuple[str, ...] = ()


def global_options_of(context: typer.Context) -> GlobalOptions:
    """What stands before the command; nothing when a command is run without the whole app."""
    found = context.find_object(GlobalOptions)
    return GlobalOptions() if found is None else found


def load_for(context: typer.Context, flags: Iterable[Flag] = ()) -> Loaded:
    """Load the configuration of a command; `flags` are its own flags that set an option.

        loaded = load_for(context, [Flag("--bootstrap", "kafka.bootstrap", bootstrap)])
        loaded.configuration.kafka.bootstrap

    Raises `ConfigurationError`, which the command lets pass.
    """
    given = global_options_of(context)
    return load(config_file=given.config_file, assignments=given.assignments, flags=flags)
