"""Follow deliveries for `precede tail`: from the topic, from the table, or one after the other."""

from __future__ import annotations

import time
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import NamedTuple

from console.answers.places import Places
from console.errors import UsageError
from console.shared_options import Source
from sinks.consumer import OrderedConsumer, Start
from sinks.consumer_delivery import Delivery
from sinks.consumer_history import History

TABLE_LOOK_SECONDS = 1.0
"""How often a table that is followed is looked at."""


class Wish(NamedTuple):
    """What a person asked for."""

    start: str = ""
    """A `Start`, a token, or nothing: the end, or the oldest where the command ends at the end."""
    groups: tuple[str, ...] | None = None
    maybe_most: int | None = None
    is_exit_wanted: bool = False
    maybe_resume_file: Path | None = None
    source: Source = Source.TOPICS
    with_history: bool = False


def follow(places: Places, wish: Wish) -> Generator[Delivery, None, None]:
    """The deliveries that are wished for; what is missing is raised as `LossError`."""
    if wish.source is Source.TABLES:
        if wish.maybe_resume_file is not None:
            raise UsageError("--resume keeps a place of the topic: use it with --source topics")
        deliveries = _of_table(places.tables, wish)
        yield from _counted(deliveries, wish.maybe_most)
        return
    start = _start(wish)
    tables = places.tables if wish.with_history else None
    with OrderedConsumer(places.kafka, tables=tables, start=start, groups=wish.groups) as consumer:
        deliveries = consumer.until_end() if wish.is_exit_wanted else consumer
        try:
            yield from _counted(deliveries, wish.maybe_most)
        finally:
            if wish.maybe_resume_file is not None:
                _keep(wish.maybe_resume_file, consumer.token)


def _start(wish: Wish) -> str:
    if wish.maybe_resume_file is not None and wish.maybe_resume_file.exists():
        if wish.start:
            raise UsageError(
                f"{wish.maybe_resume_file} says where to begin, and --from too: leave one out"
            )
        return wish.maybe_resume_file.read_text(encoding="ascii", errors="replace").strip()
    return wish.start or (Start.OLDEST if wish.is_exit_wanted else Start.END)


def _keep(path: Path, token: str) -> None:
    """Write the token beside and move it over: a crash leaves the old one or the new one."""
    part = path.with_name(f".{path.name}.part")
    part.write_text(f"{token}\n", encoding="ascii")
    part.replace(path)


def _counted(deliveries: Iterator[Delivery], maybe_most: int | None) -> Iterator[Delivery]:
    for number, delivery in enumerate(deliveries, start=1):
        yield delivery
        if number == maybe_most:
            return


def _of_table(directory: str, wish: Wish) -> Iterator[Delivery]:
    """The table's rows by partition and ordinal, and then what is added to it."""
    if wish.start not in ("", *Start):
        raise UsageError("a table is followed from its oldest row or its end, not from a token")
    history = History(directory, groups=wish.groups)
    is_end = wish.start == Start.END or (not wish.start and not wish.is_exit_wanted)
    given = {number: extent.last for number, extent in history.extents().items()} if is_end else {}
    while True:
        for number, extent in sorted(history.extents().items()):
            first = max(given.get(number, 0) + 1, extent.first)
            for row in history.read(number, first=first, last=extent.last):
                if row.maybe_delivery is not None:
                    yield row.maybe_delivery
            given[number] = extent.last
        if wish.is_exit_wanted:
            return
        time.sleep(TABLE_LOOK_SECONDS)
        history.refresh()
