"""The moments at which the job is killed: from outside, by what it does, or by itself.

Spark plans, writes and commits in its JVM, where no crash point of ours stands. But each of these
steps makes a file or a record, and whoever is told of it at once can kill before the next step.
"""

from __future__ import annotations

import random
import signal
import time
from collections.abc import Callable
from enum import StrEnum
from pathlib import Path

from deploy.local.child import Child
from sinks.tables import DELIVERIES
from streaming.crash_points import CrashPoint
from tests.end_to_end.driver import Driver
from tests.end_to_end.marksman import shoot
from tests.end_to_end.readers import TopicReader

PATIENCE_SECONDS = 600.0
LOOK_EVERY_SECONDS = 0.05
LONGEST_RANDOM_SECONDS = 40.0


class Moment(StrEnum):
    """When to kill, in the order of a batch's life."""

    AFTER_OFFSETS_PLANNED = "after-offsets-planned"
    IN_PYTHON_WORKER = CrashPoint.IN_PYTHON_WORKER.value
    DURING_STATE_COMMIT = "during-state-commit"
    DURING_STATE_SNAPSHOT = "during-state-snapshot"
    AFTER_TOPIC_WRITE = "after-topic-write"
    BEFORE_SPARKS_COMMIT = "before-sparks-commit"
    AFTER_DELIVERIES_COMMIT = CrashPoint.AFTER_DELIVERIES_COMMIT.value
    AFTER_DELTA_COMMIT = CrashPoint.AFTER_DELTA_COMMIT.value
    DURING_UPKEEP = "during-upkeep"
    RANDOM = "random"


_FILES = {
    Moment.AFTER_OFFSETS_PLANNED: ("ordering/offsets", r"\d+"),
    Moment.DURING_STATE_COMMIT: ("ordering/state/0", r"\.\d+\.delta\..*\.tmp"),
    Moment.DURING_STATE_SNAPSHOT: ("ordering/state/0", r"\.\d+\.snapshot\..*\.tmp"),
    Moment.BEFORE_SPARKS_COMMIT: ("ordering/commits", r"\.\d+\..*\.tmp"),
}
"""The folder of the checkpoint (or a folder in it), and the name of the file that tells.

A file with a dot before its name is being written, and gets its real name when it is whole.
"""

_OWN = {
    Moment.IN_PYTHON_WORKER,
    Moment.AFTER_DELIVERIES_COMMIT,
    Moment.AFTER_DELTA_COMMIT,
}


def planted(moment: Moment, passing: int) -> str:
    """What the job must be told at its start, if it is to kill itself."""
    return f"{moment}:{passing}" if moment in _OWN else ""


def kill_at(
    moment: Moment,
    passing: int,
    driver: Driver,
    child: Child,
    *,
    counters: TopicReader,
    feed: Callable[[], None],
) -> bool:
    """Kill the job at the moment's `passing`-th time; a job that ends otherwise is a failure.

    Gives whether the kill was in time: what the moment names was still half done. `feed` puts some
    more messages into the log, for a moment that needs them then.
    """
    deadline = time.monotonic() + PATIENCE_SECONDS
    if moment in _OWN:
        child.wait(within_seconds=PATIENCE_SECONDS)
    elif moment in _FILES:
        folder, name = _FILES[moment]
        maybe_file = shoot(
            driver.checkpoint / folder, name, passing, [child], within_seconds=PATIENCE_SECONDS
        )
    elif moment is Moment.AFTER_TOPIC_WRITE:
        _wait_for_record(passing, child, counters, deadline)
    elif moment is Moment.DURING_UPKEEP:
        is_at_work = _kill_with_upkeep(passing, driver, child, feed=feed)
    else:
        seconds = random.Random(passing).uniform(0, LONGEST_RANDOM_SECONDS)
        child.wait(within_seconds=seconds)
    code = child.kill()
    assert time.monotonic() < deadline, f"{moment} did not come: {child.last_lines(40)}"
    assert code == -signal.SIGKILL, f"it ended before {moment}: {child.last_lines(40)}"
    if moment in (Moment.DURING_STATE_COMMIT, Moment.DURING_STATE_SNAPSHOT):
        return maybe_file is not None and maybe_file.exists()
    if moment in (Moment.AFTER_DELIVERIES_COMMIT, Moment.AFTER_DELTA_COMMIT):
        return _is_open(driver, "history")
    if moment is Moment.DURING_UPKEEP:
        return is_at_work
    return moment is Moment.RANDOM or _is_open(driver, "ordering")


def _is_open(driver: Driver, query: str) -> bool:
    """Did it die in a batch of this query?"""
    planned_batch, committed_batch = driver.batches(query)
    return planned_batch > committed_batch


def _wait_for_record(passing: int, child: Child, counters: TopicReader, deadline: float) -> None:
    wanted = counters.count + passing
    while counters.count < wanted and time.monotonic() < deadline:
        with counters.news:
            counters.news.wait(LOOK_EVERY_SECONDS)
        child.require_running()


def _kill_with_upkeep(
    passing: int, driver: Driver, child: Child, *, feed: Callable[[], None]
) -> bool:
    """Start `precede upkeep` beside the job; kill both while it compacts what the job writes.

    The moment is the `passing`-th new file of the table, whoever of the two writes it. Gives
    whether upkeep was still at that table.
    """
    begins, ends = f"keeping up {DELIVERIES.name} ...", f"keeping up {DELIVERIES.name}:"
    while driver.batches("history")[1] < 0:
        child.require_running()
        time.sleep(LOOK_EVERY_SECONDS)
    with driver.start_upkeep() as upkeep:
        while begins not in upkeep.last_lines():
            upkeep.require_running()
            child.require_running()
            time.sleep(LOOK_EVERY_SECONDS)
        feed()
        table = Path(DELIVERIES.path(driver.tables))
        targets = [upkeep, child]
        shoot(table, r".*\.(parquet|json)", passing, targets, within_seconds=PATIENCE_SECONDS)
        upkeep.kill()
        return not any(line.startswith(ends) for line in upkeep.last_lines())
