"""One seed from end to end: expand, run, judge.

`run_seed` is what every worker of a sweep calls, and what `precede simulate --seeds 1 --from S`
comes down to. `run_options` is the same for options that shrinking has changed.
"""

from __future__ import annotations

from typing import NamedTuple
from zlib import crc32

from simulation.checkers import batching_changes_result, restore_changes_result
from simulation.checkers.violation import Violation
from simulation.judge import judge_endpoint
from simulation.ledger import Ledger
from simulation.network import stream
from simulation.options import Options, expand
from simulation.service import Log, cut, plan_crashes, read_in_batches, read_with_crashes
from simulation.world import World


class Outcome(NamedTuple):
    """What one world came to."""

    options: Options
    violations: list[Violation]
    messages: int  # made, by honest and by hostile senders
    receipts: int  # how often an engine was handed one
    crash_points: int  # how often an engine was rebuilt from its bytes
    digest: int  # of every delivered sequence: the same seed must always give the same


def run_seed(seed: int, *, discipline: str | None = None) -> Outcome:
    """Run the world of a seed."""
    return run_options(expand(seed, discipline=discipline))


def run_options(options: Options) -> Outcome:
    """Run a world and judge it."""
    world = World(options)
    world.run()
    violations: list[Violation] = []
    crash_points = 0
    digest = 0
    receipts = 0
    ledgers = [Ledger(endpoint) for endpoint in world.endpoints()]
    for ledger in ledgers:
        endpoint = ledger.endpoint
        violations += judge_endpoint(ledger)
        receipts += ledger.receipts
        crash_points += endpoint.crashes
        digest = _digest(ledger, start=digest)
    of_services = ledgers[-len(world.services) :]
    for log, ledger in zip(world.logs, of_services, strict=True):
        if ledger.endpoint.maybe_fault is not None:
            continue
        found, rebuilt = judge_log(log, ledger=ledger, options=options)
        violations += found
        crash_points += rebuilt
    return Outcome(
        options=options,
        violations=violations,
        messages=sum(len(history.entries) for history in world.histories),
        receipts=receipts,
        crash_points=crash_points,
        digest=digest,
    )


def judge_log(log: Log, *, ledger: Ledger, options: Options) -> tuple[list[Violation], int]:
    """Put the service's log through in batches, then with crashes. Also counts the rebuilds."""
    rng = stream(options.seed, number=12)
    cuts = cut(log, largest_batch=options.largest_batch, rng=rng)
    plain = ledger.endpoint
    maybe_difference = read_in_batches(log, plain=plain, cuts=cuts)
    violations = list(batching_changes_result.check(ledger, maybe_difference=maybe_difference))
    if not options.service_crashes:
        return violations, 0
    rebuilds, deaths = plan_crashes(cuts, crashes=options.service_crashes, rng=rng)
    maybe_difference, rebuilt = read_with_crashes(
        log, plain=plain, cuts=cuts, rebuilds=rebuilds, deaths=deaths
    )
    violations += restore_changes_result.check(ledger, maybe_difference=maybe_difference)
    return violations, rebuilt


def _digest(ledger: Ledger, *, start: int) -> int:
    contents = [delivery.entry.message.content for delivery in ledger.deliveries]
    return crc32(b"\n".join(contents), start)
