"""`precede rebuild` as an operator meets it (what it does is in `tests/streaming`)."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from console.commands.rebuild import show
from console.errors import ExitCode
from console.terminal import OutputFormat, terminal_for
from deploy.local.broker import Broker
from sinks.tables import DELIVERIES
from streaming.checkpoint_lock import checkpoint_lock
from streaming.job import Job
from streaming.policy import group_policies
from streaming.rebuilding import Difference
from streaming.settings import JobSettings
from tests.console.shop import Said, precede
from tests.conversations import shuffled_conversation
from tests.topic_tools import new_topics, produce

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SAME = Difference("deliveries", 900, 0, 0, 0)
BROKEN = Difference("quarantine", 12, 12, 0, 0, trouble="a file is \x1b[2J gone")


def shown(
    *differences: Difference, output: OutputFormat = OutputFormat.TABLE, is_applied: bool = False
) -> tuple[str, str]:
    out, progress = io.StringIO(), io.StringIO()
    terminal = terminal_for(out, progress, {})
    show(list(differences), terminal, output, is_applied=is_applied)
    return out.getvalue(), progress.getvalue()


def test_tables_that_are_right_are_said_to_be() -> None:
    out, progress = shown(SAME)
    assert out.splitlines()[1].split() == ["deliveries", "900", "0", "0", "0"]
    assert progress == "the tables are as the log says, and were left as they are\n"


def test_what_differs_and_what_cannot_be_read_is_named_harmlessly() -> None:
    out, progress = shown(SAME, BROKEN)
    assert out.splitlines()[2].split() == ["quarantine", "12", "12", "0", "0"]
    assert r"quarantine could not be read: a file is \x1b[2J gone" in out
    assert progress == "nothing was changed; --apply puts the new tables in place\n"
    assert shown(SAME, BROKEN, is_applied=True)[1].startswith("the new tables are in place")


def test_a_difference_is_said_in_words() -> None:
    out, _ = shown(Difference("deliveries", 900, 3, 0, 1))
    assert "deliveries lacked 3 of the log's rows, had 1 that say something else" in out


def test_a_machine_gets_one_object() -> None:
    out, _ = shown(SAME, BROKEN, output=OutputFormat.JSON, is_applied=True)
    found = json.loads(out)
    assert (found["ok"], found["same"], found["applied"]) == (True, False, True)
    assert json.loads(shown(BROKEN, output=OutputFormat.JSON)[0])["ok"] is False
    left = json.loads(shown(SAME, output=OutputFormat.JSON, is_applied=True)[0])
    assert (left["ok"], left["applied"]) == (True, False)
    assert found["tables"][0]["rows"] == 900


@pytest.mark.spark
@pytest.mark.broker
def test_the_command_finds_what_is_wrong_mends_it_and_the_tables_verify(
    spark: SparkSession, broker: Broker, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kafka = new_topics(broker.bootstrap)
    settings = JobSettings(
        checkpoint_directory=str(tmp_path / "checkpoint"),
        tables_directory=str(tmp_path / "tables"),
        scratch_directory=str(tmp_path / "spark"),
    )
    produce(kafka, shuffled_conversation(seed=53, groups=2, messages=100))
    Job(spark, kafka=kafka, settings=settings, policies=group_policies(settings)).drain()

    def command(*words: str) -> Said:
        chosen = {
            "kafka.bootstrap": kafka.bootstrap,
            "kafka.topic_prefix": kafka.topic_prefix,
            "job.checkpoint_directory": settings.checkpoint_directory,
            "job.tables_directory": settings.tables_directory,
            "job.scratch_directory": settings.scratch_directory,
        }
        flags = [word for name, value in chosen.items() for word in ("--set", f"{name}={value}")]
        return precede(capsys, *words, *flags)

    with checkpoint_lock(settings.checkpoint_directory):
        running = command("rebuild", "--apply")
    assert running.code == ExitCode.CONFIGURATION, running.progress
    assert "stop it" in running.progress

    path = DELIVERIES.path(settings.tables_directory)
    spark.sql(f"DELETE FROM delta.`{path}` WHERE ordinal = 3")
    found = command("rebuild")
    assert found.code == ExitCode.CHECK_FAILED, found.progress
    assert "deliveries lacked" in found.out
    assert "nothing was changed" in found.progress
    assert command("verify").code == ExitCode.CHECK_FAILED
    mended = command("rebuild", "--apply")
    assert mended.code == ExitCode.OK, mended.progress
    assert "the new tables are in place" in mended.progress
    assert command("verify").code == ExitCode.OK
    again = json.loads(command("rebuild", "--apply", "--output", "json").out)
    assert (again["ok"], again["same"], again["applied"]) == (True, True, False)
    assert not Path(f"{settings.tables_directory}.rebuilt").exists()
