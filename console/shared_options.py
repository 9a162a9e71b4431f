"""Options that several commands have, each written once: same name, same help, same meaning.

    def verify(context: typer.Context, bootstrap: Bootstrap = None, output: Output = TABLE) -> None:

Used by the modules of `console/commands`; what only one command has stays with it.
"""

from enum import StrEnum
from typing import Annotated, Final

import typer

from console.terminal import OutputFormat

Output = Annotated[
    OutputFormat, typer.Option("--output", help="A table for people or one JSON object.")
]
TABLE: Final = OutputFormat.TABLE

Bootstrap = Annotated[
    str | None,
    typer.Option(
        "--bootstrap", metavar="HOST:PORT", help="Address of the broker; else kafka.bootstrap."
    ),
]
TopicPrefix = Annotated[
    str | None,
    typer.Option(
        "--topic-prefix", metavar="WORD", help="First word of the topics; else kafka.topic_prefix."
    ),
]

Tables = Annotated[
    str | None,
    typer.Option(
        "--tables", metavar="FOLDER", help="Folder of the tables; else job.tables_directory."
    ),
]
MaybeGroup = Annotated[
    str | None, typer.Option("--group", metavar="GROUP", help="Only this group.")
]


class Source(StrEnum):
    """Where a command looks."""

    TABLES = "tables"
    """The Delta tables: everything that was, a moment behind."""
    TOPICS = "topics"
    """The topics: the newest, as far back as the broker keeps them."""


From = Annotated[
    Source,
    typer.Option(
        "--source",
        help="Look into the tables (all that was, a moment behind) or the topics (the newest).",
    ),
]
FROM_TABLES: Final = Source.TABLES

MessageIdText = Annotated[
    str, typer.Argument(metavar="ID", help="The message, as name#incarnation:seq.")
]
