"""In which raw topic a group lives: what is said of it must be written there and nowhere else.

With one raw topic that is no question. With several the tables know, since a delivered or a held
message has a row that names its shard; for a group of which they know nothing, or that is in two
topics, the person who asks has to say.
"""

from __future__ import annotations

from collections.abc import Sequence

from console.errors import UsageError
from sinks.errors import DestinationError
from sinks.settings import KafkaSettings
from sinks.table_reader import open_dataset
from sinks.tables import DELIVERIES, WAITS


def raw_topic_of(group: str, *, kafka: KafkaSettings, tables: str, wanted: str | None) -> str:
    """The raw topic of a group; `wanted` is what `--topic` says.

    Raises `UsageError` that names the topics if it cannot be told.
    """
    topics = list(kafka.shards.topics)
    if wanted is not None:
        if wanted not in topics:
            raise UsageError(
                f"{wanted} is no raw topic of this configuration; name one of {_listed(topics)}"
            )
        return wanted
    if len(topics) == 1:
        return topics[0]
    shards, known = kafka.shards, shards_of_group(group, tables)
    homes = [
        topic
        for topic, first in shards.firsts().items()
        if known & set(range(first, first + shards.topics[topic]))
    ]
    if len(homes) == 1:
        return homes[0]
    if homes:
        raise UsageError(
            f"{group} is in {_listed(homes)}: say which one is meant with --topic, and give the "
            "group another name in one of them"
        )
    raise UsageError(
        f"nothing is known yet of {group}, and there are several raw topics: say where it lives "
        f"with --topic, one of {_listed(topics)}"
    )


def shards_of_group(group: str, tables: str) -> set[int]:
    """The shards of which the tables have a row of the group; none where there are no tables."""
    import pyarrow.dataset as pds

    found: set[int] = set()
    for table in (DELIVERIES, WAITS):
        try:
            rows = open_dataset(tables, table).to_table(
                columns=["raw_partition"], filter=pds.field("group") == group
            )
        except DestinationError:
            continue
        found |= set(rows.column("raw_partition").to_pylist())
    return found


def _listed(topics: Sequence[str]) -> str:
    return ", ".join(topics)
