"""Upkeep that is killed beside the running job: the tables keep every row, and the next one works.

What upkeep writes counts when Delta commits it. A kill before that leaves files that no version
names, which a later vacuum removes; a kill after it leaves only less to do.
"""

from __future__ import annotations

import random
import signal
from pathlib import Path
from typing import Any

import pytest

from deploy.local.broker import Broker
from sinks.table_reader import open_dataset, read_rows
from sinks.tables import DELIVERIES, TABLES
from tests.conversations import shuffled_conversation
from tests.end_to_end.driver import Driver
from tests.end_to_end.marksman import shoot
from tests.end_to_end.outcome import outcome_of, wait_until_drained
from tests.topic_tools import new_topics, produce

pytestmark = [pytest.mark.kill, pytest.mark.broker]

PATIENCE_SECONDS = 600.0
LONGEST_RANDOM_SECONDS = 20.0
STOP_WITHIN_SECONDS = 180.0


def rows_of(directory: str) -> dict[str, list[Any]]:
    """All rows of all tables, whatever files they are in."""
    return {
        table.name: sorted(
            map(repr, read_rows(directory, table, columns=[one.name for one in table.columns]))
        )
        for table in TABLES
    }


def files_of(directory: str) -> int:
    return len(open_dataset(directory, DELIVERIES).files)


@pytest.mark.timeout(1_800)
def test_upkeep_killed_beside_the_job_leaves_every_row_and_the_next_one_succeeds(
    broker: Broker, tmp_path: Path
) -> None:
    kafka = new_topics(broker.bootstrap)
    driver = Driver(kafka, tmp_path)
    log = shuffled_conversation(seed=24, groups=5, messages=800)
    produce(kafka, log[:600])
    with driver.start(most_messages=100) as job:
        wait_until_drained(kafka, driver.tables, job)
        before, many = rows_of(driver.tables), files_of(driver.tables)
        assert many > 1
        folder = Path(DELIVERIES.path(driver.tables))

        with driver.start_upkeep() as upkeep:
            # The job has written all that it had, so a new file is one that upkeep has not
            # committed yet.
            maybe_file = shoot(
                folder, r"part-.*\.parquet", 1, [upkeep], within_seconds=PATIENCE_SECONDS
            )
            assert maybe_file, upkeep.last_lines(20)
            assert upkeep.kill() == -signal.SIGKILL
        assert rows_of(driver.tables) == before
        with driver.start_upkeep() as upkeep:
            # On a quick machine it may be done by then, and that is as good.
            upkeep.wait(within_seconds=random.Random(24).uniform(1, LONGEST_RANDOM_SECONDS))
            assert upkeep.kill() in (0, -signal.SIGKILL), upkeep.last_lines(20)
        assert rows_of(driver.tables) == before
        with driver.start_upkeep() as upkeep:
            assert upkeep.wait(within_seconds=PATIENCE_SECONDS) == 0, upkeep.last_lines(20)
        assert rows_of(driver.tables) == before
        assert files_of(driver.tables) < many

        job.require_running()
        produce(kafka, log[600:])
        wait_until_drained(kafka, driver.tables, job)
        assert job.stop(grace_seconds=STOP_WITHIN_SECONDS) == 0, job.last_lines(20)
    outcome = outcome_of(kafka, driver.tables)
    assert outcome.ok, outcome
    assert outcome.delivered == 800
