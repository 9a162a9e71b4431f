"""docs/reference/tables.md, made from the definitions that the job runs on.

python -m sinks.reference > docs/reference/tables.md
"""

from __future__ import annotations

from collections.abc import Iterator

from sinks.layouts import (
    AFTER_THE_HEAD,
    COUNTERS_FIELDS,
    GAP_FIELDS,
    HEAD_FIELDS,
    WAIT_FIELDS,
    Field,
)
from sinks.tables import TABLES, Table
from sinks.topics import TOPIC_MEANINGS
from sinks.views import VIEWS

PAGE_PATH = "docs/reference/tables.md"

_HEAD = """# Topics, tables and views

Made from the code by `python -m sinks.reference`; do not edit.

The tables are Delta tables, each a folder of `job.tables_directory`. Each row stands there exactly
once. `ordinal` counts the rows that one raw partition gave to a table, in the order of the log,
without holes: a missing number is a lost row. Rows are functions of the raw topic alone.

A name in a view is one of the tables or of the views above it; `sinks.views.create_views` makes
them in a Spark session. "Why has message X not arrived?" is one question to `pending`:

```sql
SELECT waiting_for, measure, since, waiting_for_the_same
FROM pending WHERE `group` = 'dev' AND id = 'bob#1:7'
```
"""


def page() -> str:
    """The whole page."""
    return "\n".join([_HEAD, *_topics(), *_records(), *_tables(), *_views()])


def _topics() -> Iterator[str]:
    yield "## Topics\n"
    yield "| topic | key | value |"
    yield "| --- | --- | --- |"
    for name, (key, meaning) in TOPIC_MEANINGS.items():
        yield f"| `PREFIX.{name}` | {key} | {meaning} |"
    yield ""


def _records() -> Iterator[str]:
    yield "## Records\n"
    names = ", ".join(f"`{name}`" for name in AFTER_THE_HEAD)
    yield f"A record of {names} starts with the same head, big-endian:\n"
    yield from _fields(HEAD_FIELDS)
    yield "\nAfter the head:\n"
    for name, rest in AFTER_THE_HEAD.items():
        yield f"- `{name}`: {rest}"
    for name, fields in (
        ("waits", WAIT_FIELDS),
        ("gaps", GAP_FIELDS),
        ("counters", COUNTERS_FIELDS),
    ):
        yield f"\nThe JSON object of a record of `{name}`:\n"
        yield from _fields(fields)
    yield ""


def _fields(fields: tuple[Field, ...]) -> Iterator[str]:
    yield "| field | type | what it says |"
    yield "| --- | --- | --- |"
    for field in fields:
        yield f"| `{field.name}` | `{field.kind}` | {field.meaning} |"


def _tables() -> Iterator[str]:
    for table in TABLES:
        yield f"## Table `{table.name}`\n"
        clustered = ", ".join(f"`{name}`" for name in table.clustered_by)
        yield f"{_sentence(table.meaning)} Its files are clustered by {clustered}.\n"
        yield from _columns(table)
        yield ""


def _columns(table: Table) -> Iterator[str]:
    yield "| column | type | what it says |"
    yield "| --- | --- | --- |"
    for column in table.columns:
        kind = column.kind.replace("|", "\\|")
        yield f"| `{column.name}` | `{kind}` | {column.meaning} |"


def _views() -> Iterator[str]:
    for view in VIEWS:
        yield f"## View `{view.name}`\n"
        yield f"{_sentence(view.meaning)}\n"
        yield f"```sql\n{view.sql}\n```\n"


def _sentence(meaning: str) -> str:
    return f"{meaning[0].upper()}{meaning[1:]}."


if __name__ == "__main__":
    print(page(), end="")
