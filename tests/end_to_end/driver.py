"""The real job as a process group, started by the same command every time."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping
from enum import Enum
from pathlib import Path

from deploy.local.child import Child
from sinks.settings import KafkaSettings
from streaming.crash_points import VARIABLE

SUBMIT_VARIABLE = "PYSPARK_SUBMIT_ARGS"
# What is killed after seconds gains nothing from being compiled well, and compiling is most of its
# life. Neither changes what is written, or when.
SHORT_LIVED = {"JAVA_TOOL_OPTIONS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"}
UNCOMPILED = {
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
}
# State is copied in the background once a minute. Here at every moment, so that a kill can meet it.
OFTEN = {
    "spark.sql.streaming.stateStore.maintenanceInterval": "100ms",
    "spark.sql.streaming.stateStore.minDeltasForSnapshot": "1",
}


class Life(Enum):
    """How long a job is meant to live."""

    SHORT = "it is killed soon, so it is not compiled well"
    LONG = "it is measured, so it is as in production"


class Driver:
    """`precede run` as an operator starts it."""

    def __init__(
        self,
        kafka: KafkaSettings,
        directory: Path,
        *,
        checkpoint: Path | None = None,
        life: Life = Life.SHORT,
    ) -> None:
        self.kafka = kafka
        self._life = life
        self.checkpoint = checkpoint or directory / "checkpoint"
        self.tables = str(directory / "tables")
        self._directory = directory
        self._settings = {
            "kafka.bootstrap": kafka.bootstrap,
            "kafka.topic_prefix": kafka.topic_prefix,
            "kafka.partitions": str(kafka.partitions),
            "job.checkpoint_directory": str(self.checkpoint),
            "job.tables_directory": self.tables,
            "job.scratch_directory": str(directory / "spark"),
        }

    def start(
        self,
        *,
        crash_at: str = "",
        is_once: bool = False,
        most_messages: int = 1_000,
        options: Mapping[str, str] | None = None,
    ) -> Child:
        """Start it; `options` are Spark's own, laid under the job's."""
        chosen = self._settings | {"job.max_messages_per_batch": str(most_messages)}
        environment = {VARIABLE: crash_at} if crash_at else {}
        words = ["run", *(["--once"] if is_once else [])]
        return self._child(words, chosen, options=options or {}, environment=environment)

    def start_upkeep(self) -> Child:
        """Start `precede upkeep --apply` beside it, on the same tables."""
        return self._child(["upkeep", "--apply"], self._settings, options={}, environment={})

    def _child(
        self,
        words: list[str],
        settings: Mapping[str, str],
        *,
        options: Mapping[str, str],
        environment: Mapping[str, str],
    ) -> Child:
        flags = [word for name, value in settings.items() for word in ("--set", f"{name}={value}")]
        is_short = self._life is Life.SHORT
        chosen = {**(UNCOMPILED if is_short else {}), **options}
        confs = [f"--conf {name}={value}" for name, value in chosen.items()]
        submit = {SUBMIT_VARIABLE: " ".join([*confs, "pyspark-shell"])}
        return Child(
            [sys.executable, "-m", "console", *words, *flags],
            name=words[0],
            log_file=self._directory / f"{words[0]}.log",
            environment={
                **(SHORT_LIVED if is_short else {}),
                **os.environ,
                **submit,
                **environment,
            },
        )

    def batches(self, query: str) -> tuple[int, int]:
        """The last batch that Spark planned and the last that it committed; -1 is none."""
        return tuple(_last(self.checkpoint / query / part) for part in ("offsets", "commits"))  # type: ignore[return-value]


def _last(folder: Path) -> int:
    if not folder.is_dir():
        return -1
    names = (path.name for path in folder.iterdir())
    return max((int(name) for name in names if re.fullmatch(r"\d+", name)), default=-1)
