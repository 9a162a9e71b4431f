"""Chains: every message arrives before its parent, so that all wait and then all go at once.

A chain of a hundred thousand is compared with ten chains of ten thousand: the same number of
messages, so that the ratio is that of the cost per message.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Final

from benchmarks.arrivals import Arrival, backwards
from benchmarks.contestants import order_with_engine
from benchmarks.decoding import batches
from benchmarks.figures import short
from benchmarks.options import Options
from benchmarks.timing import Run, race
from ordering.policy import GroupPolicy

SEMANTIC: Final = GroupPolicy(discipline="semantic")
TIMES: Final = 10
"""How much longer the long chain is than the short ones."""
LONGEST_REPEATS: Final = 3
"""Chains are long runs; more repeats would say little more."""


def race_chains(options: Options) -> tuple[dict[str, Run], dict[str, float]]:
    """Measure one long chain and ten short ones, taking turns."""
    shorter = options.chain // TIMES
    runs = race(
        {
            "long": partial(_order, list(backwards(options.chain)), times=1),
            "short": partial(_order, list(backwards(shorter)), times=TIMES),
        },
        repeats=min(options.repeats, LONGEST_REPEATS),
    )
    ratio = runs["long"].ns_per_message / runs["short"].ns_per_message
    figures = {
        f"chain_{options.chain}_messages_per_s": runs["long"].per_s,
        f"ratio_cost_per_message_chain_{short(options.chain)}_to_{short(shorter)}": ratio,
    }
    return {f"{name} chain": run for name, run in runs.items()}, figures


def _order(arrivals: Sequence[Arrival], *, times: int) -> Run:
    runs = [order_with_engine(batches(arrivals), policy=SEMANTIC) for _ in range(times)]
    return Run(*(sum(column) for column in zip(*runs, strict=True)))
