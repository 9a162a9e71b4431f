"""On which line of a TOML text each key begins: tomllib reads the values and tells no lines.

A key is known by its first two names, `(section, key)`; the second is empty for the section itself
and for a value above all sections.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from typing import Any

LAST_LINE_OF_MANY = re.compile(r"""[\]}]|\"{3}|'{3}""")
"""What the last line of a value of several lines has, and no other line has to be tried for."""


def statement_lines(text: str) -> dict[tuple[str, str], int]:
    """Find the line at which each `(section, key)` of a valid TOML text begins.

    1. Collect lines until they are TOML by themselves: then they are one statement, because a
       statement that is cut off is not.
    2. A statement that begins with `[` is a header, and what follows stands below it.
    3. Any other sets a key below the last header; it began with its first line.

        1  [agent]              a header                 -> agent begins at 1
        2  groups = [           not TOML: the list is open
        3    "239.1.1.1:7000",  not tried
        4  ]                    lines 2 to 4 are TOML    -> agent.groups begins at 2
    """
    begins: dict[tuple[str, str], int] = {}
    header: tuple[str, ...] = ()
    statement: list[str] = []
    began_at = 1
    for number, line in enumerate(text.split("\n"), start=1):
        if not statement:
            began_at = number
        statement.append(line)
        if len(statement) > 1 and LAST_LINE_OF_MANY.search(line) is None:
            continue
        try:
            document = tomllib.loads("\n".join([*statement, ""]))
        except ValueError:
            continue
        is_header = statement[0].lstrip().startswith("[")
        statement = []
        for path in _paths(document):
            names = path if is_header else (*header, *path)
            begins.setdefault((names[0], ""), began_at)
            begins.setdefault((names[0], names[1] if len(names) > 1 else ""), began_at)
            header = path if is_header else header
    return begins


def _paths(document: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    """The first two names of everything that one statement sets."""
    for name, content in document.items():
        inner = content[0] if isinstance(content, list) and content else content
        if isinstance(inner, dict) and inner:
            yield from ((name, key) for key in inner)
        else:
            yield (name,)
