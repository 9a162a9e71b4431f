"""Laws of one seed from end to end."""

from __future__ import annotations

from dataclasses import replace

from simulation.ledger import Ledger
from simulation.run import judge_log, run_options, run_seed
from simulation.world import World
from tests.simulation.worlds import plain_options


def test_a_seed_gives_the_same_outcome_every_time() -> None:
    assert run_seed(11) == run_seed(11)


def test_a_plain_world_breaks_no_promise() -> None:
    outcome = run_options(plain_options())
    assert outcome.violations == []
    assert outcome.messages == 20
    assert outcome.receipts > 4 * 20 - 1
    assert outcome.crash_points == 0


def test_every_rebuilt_engine_is_a_crash_point() -> None:
    options = replace(plain_options(), service_crashes=2, member_crashes=1, largest_batch=4)
    world = World(options)
    world.run()
    _, rebuilt = judge_log(world.logs[0], ledger=Ledger(world.services[0]), options=options)
    assert rebuilt > 5
    assert run_options(options).crash_points == rebuilt + 1


def test_different_worlds_have_different_digests() -> None:
    digests = {run_options(plain_options(seed)).digest for seed in range(10)}
    assert len(digests) == 10
