"""A run of kills: one log, one checkpoint, many deaths; what the readers saw and what it came to.

    for each kill   put some more of the log into the raw topic
                    start the job, wait for the moment, kill the whole process group
    in the end      start the job, wait until it is done, stop it in order, compare with the oracle

One reader of the ordered topic and one of the table are attached all the time.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import NamedTuple

from sinks.settings import KafkaSettings
from tests.conversations import shuffled_conversation
from tests.end_to_end.arrivals import Seen
from tests.end_to_end.driver import OFTEN, Driver
from tests.end_to_end.moments import Moment, kill_at, planted
from tests.end_to_end.outcome import Outcome, outcome_of, wait_until_drained
from tests.end_to_end.readers import OrderedReader, TableReader, TableSeen, TopicReader
from tests.topic_tools import produce

MESSAGES_PER_LIFE = 300
OFFSETS_PER_BATCH = 100
MOST_PASSINGS = 3
STOP_WITHIN_SECONDS = 180.0


class Kill(NamedTuple):
    """One death, and what was half done."""

    moment: Moment
    passing: int
    planned_batch: int
    """the last batch of the ordering query whose offsets were planned"""
    committed_batch: int
    """the last one that Spark had committed; a smaller number means that it died within a batch"""
    delivered: int
    """records in the ordered topic, repeats and all, as the reader saw it"""
    table_rows: int
    life_seconds: float
    is_in_time: bool
    """was what the moment names still half done?"""


class Readers(NamedTuple):
    """Who is attached all the time."""

    counters: TopicReader
    topic: OrderedReader
    table: TableReader


class Result(NamedTuple):
    """What a run came to."""

    kills: list[Kill]
    outcome: Outcome
    topic: Seen
    table: TableSeen

    @property
    def ok(self) -> bool:
        """Was every promise kept?"""
        return self.outcome.ok and self.topic.is_kept and self.table.is_kept


def run_kills(
    kafka: KafkaSettings,
    directory: Path,
    moments: Sequence[Moment],
    *,
    seed: int,
    tell: Callable[[Kill], None] = lambda _: None,
) -> Result:
    """Kill the job once at each of the moments, in this order."""
    dice = random.Random(seed)
    driver = Driver(kafka, directory)
    log = shuffled_conversation(
        seed=seed, groups=7, messages=MESSAGES_PER_LIFE * (len(moments) + 1)
    )
    share = len(log) // (len(moments) + 1)
    kills: list[Kill] = []
    with ExitStack() as attached:
        readers = Readers(
            attached.enter_context(TopicReader(kafka, kafka.topics.counters)),
            attached.enter_context(OrderedReader(kafka)),
            attached.enter_context(TableReader(driver.tables)),
        )
        for number, moment in enumerate(moments):
            part = log[number * share : (number + 1) * share]
            kills.append(_one_kill(driver, moment, _passing(moment, dice), part, readers))
            tell(kills[-1])
        produce(kafka, log[len(moments) * share :])
        finish(driver)
        readers.table.look()
        _catch_up(readers.topic, kafka)
        seen = readers.topic.seen()
    return Result(kills, outcome_of(kafka, driver.tables), seen, readers.table.seen)


def _one_kill(
    driver: Driver, moment: Moment, passing: int, part: list[bytes], readers: Readers
) -> Kill:
    """Put a part of the log into the raw topic, start the job, and kill it."""
    later = part[len(part) // 2 :] if moment is Moment.DURING_UPKEEP else []
    produce(driver.kafka, part[: len(part) - len(later)])
    began_at = time.monotonic()
    with driver.start(
        crash_at=planted(moment, passing), most_messages=OFFSETS_PER_BATCH, options=OFTEN
    ) as child:
        feed = partial(produce, driver.kafka, later)
        is_in_time = kill_at(moment, passing, driver, child, counters=readers.counters, feed=feed)
    return Kill(
        moment, passing, *driver.batches("ordering"), readers.topic.count,
        readers.table.seen.rows, round(time.monotonic() - began_at, 1), is_in_time,
    )  # fmt: skip


def finish(driver: Driver) -> None:
    """Start the job as ever, let it do what is left, and stop it in order."""
    with driver.start(most_messages=10_000) as child:
        wait_until_drained(driver.kafka, driver.tables, child)
        code = child.stop(grace_seconds=STOP_WITHIN_SECONDS)
        assert code == 0, child.last_lines(40)


def _passing(moment: Moment, dice: random.Random) -> int:
    if moment is Moment.RANDOM:
        return dice.randrange(1, 1_000_000)
    if moment in (Moment.AFTER_DELTA_COMMIT, Moment.AFTER_DELIVERIES_COMMIT):
        return 1  # a batch of the tables takes seconds
    return dice.randint(1, MOST_PASSINGS)


def _catch_up(topic: OrderedReader, kafka: KafkaSettings) -> None:
    """Let the reader take the last records of the topic."""
    from sinks.kafka_client import end_offsets

    wanted = sum(end_offsets(kafka, kafka.topics.ordered).values())
    deadline = time.monotonic() + STOP_WITHIN_SECONDS
    while topic.count < wanted:
        assert time.monotonic() < deadline, "the reader of the ordered topic does not catch up"
        time.sleep(0.05)
