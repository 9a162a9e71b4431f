"""The same log through real jobs, in batches of any size and in topics of any number of partitions.

Jobs with different batches share one raw and one ordered topic, and have a checkpoint each: every
one of them writes all records anew, and all must be the same bytes with the same ordinals.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from deploy.local.broker import Broker
from sinks.kafka_client import read_topic
from tests.conversations import shuffled_conversation
from tests.end_to_end.driver import Driver
from tests.topic_tools import delivered_order, expected_order, new_topics, produce

EVERYTHING = 1_000_000
SIZES = (1, 7, 1_000, EVERYTHING)
PARTITIONS = (1, 4, 16)
GROUPS = 12
DONE_WITHIN_SECONDS = 1_800.0


class PiecesResult(NamedTuple):
    """What the jobs came to."""

    sizes: Sequence[int]
    batches: Sequence[int]
    """how many batches each size made"""
    partitions: Sequence[int]
    messages: int
    delivered: int
    other_than_the_oracle: int
    """groups with another sequence, with any number of partitions"""
    written_again: int
    """records in the ordered topic, for each that is delivered"""

    @property
    def ok(self) -> bool:
        """Was everything the same?"""
        return not self.other_than_the_oracle and self.written_again == len(self.sizes)


def run_pieces(broker: Broker, directory: Path, *, messages: int, seed: int) -> PiecesResult:
    """Order the log in all pieces; a repeat with other bytes or another place is an assertion."""
    log = shuffled_conversation(seed=seed, groups=GROUPS, messages=messages)
    different = 0
    batches = []
    for partitions in PARTITIONS:
        kafka = new_topics(broker.bootstrap, partitions=partitions)
        produce(kafka, log)
        is_first = partitions == PARTITIONS[0]
        for size in SIZES if is_first else [EVERYTHING]:
            driver = Driver(kafka, _made(directory / f"{partitions}-{size}"))
            with driver.start(is_once=True, most_messages=size) as child:
                code = child.wait(within_seconds=DONE_WITHIN_SECONDS)
                assert code == 0, child.last_lines(40)
            if is_first:
                batches.append(driver.batches("ordering")[1] + 1)
        delivered = delivered_order(kafka)
        if is_first:
            first = delivered
            wanted = sum(map(len, delivered.values()))
            written = sum(1 for _ in read_topic(kafka, kafka.topics.ordered))
        for sequences in (first, expected_order(kafka)):
            groups = delivered.keys() | sequences.keys()
            different += sum(delivered.get(one) != sequences.get(one) for one in groups)
    return PiecesResult(
        SIZES, batches, PARTITIONS, messages, wanted, different, written // wanted
    )  # fmt: skip


def _made(folder: Path) -> Path:
    folder.mkdir()
    return folder
