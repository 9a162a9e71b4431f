"""docs/reference/configuration.md, made from the options that the code runs on.

A test compares the page with the file; `precede config reference` prints it.
"""

from __future__ import annotations

from console.configuration.loading import all_options
from console.configuration.options import SECRET_SHOWN_AS, VARIABLE_PREFIX, Option, shown
from console.configuration.sources import FILE_NAME, FILE_VARIABLE

PAGE_PATH = "docs/reference/configuration.md"

HEAD = f"""\
# Configuration

One file, the environment over it, flags over both. Everything is checked before anything starts;
all problems are told at once, each with the place where it was written, and the exit code is 4.

| where | how | wins over |
| --- | --- | --- |
| default | this page | |
| file | `{FILE_NAME}` of the current folder, `--config FILE`, or `{FILE_VARIABLE}=FILE` | default |
| environment | `{VARIABLE_PREFIX}SECTION__KEY=VALUE`, e.g. `{VARIABLE_PREFIX}KAFKA__PARTITIONS=4` \
| file |
| flag | a command's own flags, or `--set SECTION.KEY=VALUE` with any command | environment |

- `precede config init` writes a commented file, `precede config check` checks what is in force,
  `precede config show --origin` shows each value and where it came from.
- An unknown key is an error that names the nearest known one. Nothing is passed over in silence.
- A secret is never a value of the configuration: it stands in a file of its own, and the
  configuration names that file. It is shown as `{SECRET_SHOWN_AS}`.
- A list is `["a", "b"]` in the file and `a,b` in a variable or flag. An empty text unsets what
  has no default. A relative path starts at the current folder, not at the file's.

This page is made from the code: `precede config reference > {PAGE_PATH}`.
"""


def reference_page() -> str:
    """The whole page as Markdown."""
    parts = [HEAD]
    for section, options in all_options().items():
        parts.append(f"\n## `[{section}]`\n\n| key | value | default | meaning |\n")
        parts.append("| --- | --- | --- | --- |\n")
        parts += [_row(option) for option in options]
    return "".join(parts)


def _row(option: Option) -> str:
    default = "required" if option.is_required else _code(shown(option.default)) or "not set"
    cells = (_code(option.name), option.expectation(), default, option.help)
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |\n"


def _code(text: str) -> str:
    return f"`{text}`" if text else ""
