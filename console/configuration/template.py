"""The file that `precede config init` writes: every key, its help, commented out at its default."""

from __future__ import annotations

import textwrap
from enum import Enum

from console.configuration.loading import all_options
from console.configuration.options import Option, shown

WIDTH = 98

HEAD = """\
# Configuration of Precede. Every key is shown with its default; remove the '#' to change it.
#
# Environment variables win over this file:  PRECEDE__KAFKA__BOOTSTRAP=host:9092
# Flags win over both:                       precede --set kafka.bootstrap=host:9092 run
#
# precede config check           is everything right?
# precede config show --origin   what is in force, and where did it come from?
"""


def template() -> str:
    """The whole text; valid TOML, and all of it defaults."""
    parts = [HEAD]
    for section, options in all_options().items():
        parts.append(f"\n[{section}]\n")
        parts.append("\n".join(_entry(option) for option in options))
    return "".join(parts)


def _entry(option: Option) -> str:
    text = option.help
    if option.choices:
        text += f" One of: {', '.join(option.choices)}."
    elif option.scalar in (int, float):
        text += f" {option.expectation().capitalize()}."
    comment = textwrap.fill(
        text, width=WIDTH, initial_indent="# ", subsequent_indent="# ", break_long_words=False
    )
    default = option.default.value if isinstance(option.default, Enum) else option.default
    value = shown(default) if default is not None else '"..."    # not set by default'
    return f"{comment}\n#{option.name} = {value}\n"
