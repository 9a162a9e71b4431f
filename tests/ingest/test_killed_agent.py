"""An agent killed -9 at any point: what was acknowledged is there after the restart, in order."""

import random
import subprocess
import sys
from pathlib import Path

import pytest

from deploy.local.broker import Broker
from ingest.publish_settings import PublishSettings
from ingest.publisher import Publisher
from ingest.spool.settings import SpoolSettings
from ingest.spool.spool import Spool
from tests.ingest.loopback import wait_until
from tests.ingest.numbered_writer import GROUPS, content_of
from tests.ingest.raw_topics import new_raw_topic, values_in

pytestmark = [pytest.mark.broker, pytest.mark.kill]
KILLS = 8
SEED = 20_261_116


def _run_and_kill(arguments: list[str], *, after_lines: int) -> int:
    """Start a writer, kill it after so many of its words, and give the last thing it promised."""
    command = [sys.executable, "-m", "tests.ingest.numbered_writer", *arguments]
    promised = 0
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdout is not None
        for count, line in enumerate(writer.stdout, start=1):
            promised = int(line)
            if count >= after_lines:
                break
        writer.kill()
        # What it said before it died counts too.
        said = [line for line in writer.stdout.read().split("\n")[:-1] if line]
        return int(said[-1]) if said else promised


def test_what_was_durable_is_in_kafka_after_restarts_in_order_and_nothing_is_corrupt(
    broker: Broker, tmp_path: Path
) -> None:
    kafka, raw = new_raw_topic(broker.bootstrap)
    chance = random.Random(SEED)
    promised = [
        _run_and_kill(
            [str(tmp_path), kafka.bootstrap, kafka.topic_prefix, str(run)],
            after_lines=chance.randint(1, 120),
        )
        for run in range(KILLS)
    ]
    spool = Spool(SpoolSettings(directory=str(tmp_path)))
    publisher = Publisher(spool, raw, PublishSettings(), away_after_s=10.0)
    publisher.start()
    wait_until(lambda: spool.waiting == 0)
    publisher.close(within_s=10.0)
    spool.close(within_s=10.0)
    assert spool.missing == 0
    seen: dict[tuple[int, int], list[int]] = {}
    for value in values_in(kafka):
        run, number = (int(word) for word in value.split(b" ", 2)[:2])
        assert value == content_of(run, number)
        first_seen = seen.setdefault((run, number % GROUPS), [])
        if number not in first_seen:
            assert not first_seen or number == first_seen[-1] + GROUPS
            first_seen.append(number)
    for run, through in enumerate(promised):
        arrived = {number for group in range(GROUPS) for number in seen.get((run, group), [])}
        assert set(range(1, through + 1)) <= arrived
    assert sum(promised) > 0
