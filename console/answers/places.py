"""Where a command looks: the broker and the folder of the tables, from flags and configuration."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import typer

from console.answers.waiting import WaitRow, wait_rows
from console.configuration.invocation import load_for
from console.configuration.sources import Flag
from console.shared_options import Source
from sinks.settings import KafkaSettings


class Places(NamedTuple):
    """The topics and the tables of one job."""

    kafka: KafkaSettings
    tables: str

    def wait_rows(self, source: Source) -> Iterator[WaitRow]:
        """Every row of `waits`, from where it was asked for."""
        return wait_rows(source, kafka=self.kafka, directory=self.tables)


def load_places(
    context: typer.Context,
    *,
    tables: str | None = None,
    bootstrap: str | None = None,
    topic_prefix: str | None = None,
) -> Places:
    """The places that flags and configuration name; raises `ConfigurationError`."""
    configuration = load_for(
        context,
        [
            Flag("--bootstrap", "kafka.bootstrap", bootstrap),
            Flag("--topic-prefix", "kafka.topic_prefix", topic_prefix),
            Flag("--tables", "job.tables_directory", tables),
        ],
    ).configuration
    return Places(configuration.kafka, configuration.job.tables_directory)
