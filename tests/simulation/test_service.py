"""Laws of the service role."""

from __future__ import annotations

from itertools import pairwise
from random import Random

from simulation.endpoint import TICK, Endpoint
from simulation.history import History
from simulation.service import (
    Log,
    cut,
    plan_crashes,
    read_in_batches,
    read_plainly,
    read_with_crashes,
    read_with_crashes_everywhere,
)
from tests.simulation.worlds import chain, new_endpoint


def chain_backwards(length: int) -> tuple[Log, Endpoint]:
    """A log with a chain, last message first, with a tick in the middle; and its plain run."""
    history = History()
    log = Log()
    log.tick(100)
    for number, entry in enumerate(reversed(chain(history, length))):
        log.append(entry)
        if number == length // 2:
            log.tick(200)
    plain = new_endpoint(history)
    read_plainly(log, endpoint=plain)
    return log, plain


def test_only_ticks_move_the_time_of_a_log() -> None:
    log, _ = chain_backwards(4)
    assert [record.now for record in log.records] == [100, 100, 100, 100, 200, 200]
    assert [record.entry_index == TICK for record in log.records].count(True) == 2


def test_each_capture_of_a_message_has_its_own_origin() -> None:
    history = History()
    (entry,) = chain(history, 1)
    log = Log()
    log.append(entry)
    log.append(entry)
    origins = [record.maybe_message.origin for record in log.records if record.maybe_message]
    assert origins == [(entry.number, 0), (entry.number, 1)]


def test_batches_cover_the_log_once() -> None:
    log, _ = chain_backwards(20)
    for seed in range(20):
        cuts = cut(log, largest_batch=7, rng=Random(seed))
        assert cuts[0] == 0
        assert cuts[-1] == len(log.records)
        assert all(0 < b - a <= 7 for a, b in pairwise(cuts))


def test_a_batched_run_of_the_real_engine_says_what_the_plain_run_said() -> None:
    log, plain = chain_backwards(20)
    assert plain.engine.delivered_count == 20
    cuts = cut(log, largest_batch=6, rng=Random(2))
    assert read_in_batches(log, plain=plain, cuts=cuts) is None


def test_a_crashed_run_of_the_real_engine_says_what_the_plain_run_said() -> None:
    log, plain = chain_backwards(20)
    cuts = cut(log, largest_batch=6, rng=Random(2))
    rebuilds, deaths = plan_crashes(cuts, crashes=3, rng=Random(3))
    difference, rebuilt = read_with_crashes(
        log, plain=plain, cuts=cuts, rebuilds=rebuilds, deaths=deaths
    )
    assert difference is None
    assert rebuilt == len(rebuilds | set(deaths)) + len(deaths)
    assert read_with_crashes_everywhere(log, plain=plain) is None


def test_a_run_that_said_something_else_is_found_with_its_place() -> None:
    log, plain = chain_backwards(6)
    last = plain.steps[-1]
    plain.steps[-1] = last._replace(events=last.events[:-1])
    difference = read_in_batches(log, plain=plain, cuts=[0, 4, len(log.records)])
    assert difference is not None
    assert (difference.from_offset, difference.until_offset) == (4, len(log.records))
    assert read_with_crashes_everywhere(log, plain=plain) is not None
