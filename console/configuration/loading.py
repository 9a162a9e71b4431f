"""All sources together: `load` gives a frozen `Configuration`, or every problem at once.

    default  <  file  <  environment  <  flag          (the right one wins)

Steps of `load`:

1. Choose the file and read every source into `Given` values, weakest source first.
2. Find the option of each; an unknown name is a problem that names the nearest known one.
3. Convert; a wrong value is a problem even if a stronger source covers it, because the
   day that source goes away is the wrong day to hear of it.
4. Keep the strongest value of each option, with its origin.
5. Build each section's dataclass, whose own rules may find fields that do not fit together.
6. Raise one `ConfigurationError` with all problems, or return.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from console.configuration.conversion import ConversionError, convert
from console.configuration.nearest import (
    misspelt_variable_problems,
    unknown_key_problem,
    unknown_section_problem,
)
from console.configuration.options import SECRET_SHOWN_AS, Option, options_of, shown
from console.configuration.sections import SECTIONS, Configuration
from console.configuration.sources import (
    DEFAULT_ORIGIN,
    Flag,
    Given,
    Origin,
    find_file,
    read_assignments,
    read_environment,
    read_file,
    read_flags,
)
from console.errors import ConfigurationError, describe


class Setting(NamedTuple):
    """One option with its value and where that came from; what `precede config show` prints."""

    option: Option
    value: Any
    origin: Origin

    @property
    def shown(self) -> str:
        """The value for people; a secret is stars."""
        return SECRET_SHOWN_AS if self.option.is_secret and self.value else shown(self.value)


class Loaded(NamedTuple):
    """A configuration with the story of each value."""

    configuration: Configuration
    settings: tuple[Setting, ...]
    maybe_file: Path | None


def load(
    *,
    config_file: Path | None = None,
    assignments: Iterable[str] = (),
    flags: Iterable[Flag] = (),
    environ: Mapping[str, str] | None = None,
    folder: Path | None = None,
) -> Loaded:
    """Load and check everything; called by a command before it does anything else.

    Raises `ConfigurationError`, whose message has one line for each problem.
    """
    environ = os.environ if environ is None else environ
    problems: list[str] = []
    maybe_file: Path | None = None
    given: list[Given] = []
    try:
        maybe_file = find_file(config_file, environ, Path() if folder is None else folder)
        given += [] if maybe_file is None else read_file(maybe_file)
    except ConfigurationError as error:
        problems += error.problems
    problems += misspelt_variable_problems(environ, all_options())
    given += read_environment(environ) + read_flags(flags)
    try:
        given += read_assignments(assignments)
    except ConfigurationError as error:
        problems += error.problems
    settings, failed = _settle(given, problems)
    sections = _build(settings, failed, problems)
    if problems:
        raise ConfigurationError(tuple(problems))
    return Loaded(Configuration(**sections), tuple(settings.values()), maybe_file)


def all_options() -> dict[str, tuple[Option, ...]]:
    """Every option of every section, in the order in which they are written down."""
    return {name: options_of(name, settings_type) for name, settings_type in SECTIONS.items()}


def _settle(given: list[Given], problems: list[str]) -> tuple[dict[str, Setting], set[str]]:
    """Steps 2 to 4; also the sections in which something failed, which are not built."""
    known = all_options()
    settings = {
        option.path: Setting(option, option.default, DEFAULT_ORIGIN)
        for options in known.values()
        for option in options
    }
    failed: set[str] = set()
    for item in given:
        if item.section not in known:
            problem = unknown_section_problem(item, known)
            problems += [] if problem in problems else [problem]
        elif not item.key:
            problems += _not_a_table(item)
        elif f"{item.section}.{item.key}" not in settings:
            problems.append(unknown_key_problem(item, known))
        else:
            option = settings[f"{item.section}.{item.key}"].option
            try:
                value = convert(option, item.raw, is_text=item.is_text)
                settings[option.path] = Setting(option, value, item.origin)
            except ConversionError as error:
                problems.append(f"{item.origin.text}: {error}")
                failed.add(option.section)
    return settings, failed


def _not_a_table(item: Given) -> list[str]:
    if item.raw == {}:
        return []
    return [
        f"{item.origin.text}: {item.section} is a section and not a value; "
        f"write [{item.section}] on a line of its own and its keys below, or name a key"
    ]


def _build(
    settings: Mapping[str, Setting], failed: set[str], problems: list[str]
) -> dict[str, Any]:
    """Step 5: the dataclass of each section that had no problem so far."""
    sections: dict[str, Any] = {}
    for name, settings_type in SECTIONS.items():
        mine = [setting for setting in settings.values() if setting.option.section == name]
        if name in failed:
            continue
        try:
            sections[name] = settings_type(**{s.option.name: s.value for s in mine})
        except Exception as error:
            if not isinstance(error, ValueError) and describe(error) is None:
                raise
            problems.append(f"[{name}] {error}{_origins_named_in(str(error), mine)}")
    return sections


def _origins_named_in(message: str, settings: list[Setting]) -> str:
    """Where the keys that a message names were set: " (username: precede.toml:7)"."""
    words = set(message.replace(",", " ").replace(";", " ").split())
    places = [
        f"{setting.option.name}: {setting.origin.text}"
        for setting in settings
        if setting.option.name in words and setting.origin is not DEFAULT_ORIGIN
    ]
    return f" ({', '.join(places)})" if places else ""
