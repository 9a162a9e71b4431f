"""Chains: every message arrives before its parent, so that all wait and then all go at once.

A chain of a hundred thousand is compared with ten chains of ten thousand: the same number of
messages, so that the ratio is that of the cost per message. It is measured without the garbage
collector too, because the collector walks whatever is held, again and again.
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
from benchmarks.timing import Contestant, Run, race, without_collector
from ordering.policy import GroupPolicy

SEMANTIC: Final = GroupPolicy(discipline="semantic")
TIMES: Final = 10
"""How much longer the long chain is than the short ones."""


def race_chains(options: Options) -> tuple[dict[str, Run], dict[str, float]]:
    """Measure one long chain and ten short ones, taking turns, with the collector on and off."""
    shorter = options.chain // TIMES
    long = partial(_order, list(backwards(options.chain)), times=1)
    several = partial(_order, list(backwards(shorter)), times=TIMES)
    runs = race(
        {
            "long": long,
            "short": several,
            "long_collector_off": partial(_without_collector, long),
            "short_collector_off": partial(_without_collector, several),
        },
        repeats=options.repeats,
    )
    ratio = f"ratio_cost_per_message_chain_{short(options.chain)}_to_{short(shorter)}"
    figures = {f"chain_{options.chain}_messages_per_s": runs["long"].per_s}
    for suffix in ("", "_collector_off"):
        cost = runs[f"long{suffix}"].ns_per_message
        figures[f"{ratio}{suffix}"] = cost / runs[f"short{suffix}"].ns_per_message
    return {f"{name} chain": run for name, run in runs.items()}, figures


def _without_collector(contestant: Contestant) -> Run:
    with without_collector():
        return contestant()


def _order(arrivals: Sequence[Arrival], *, times: int) -> Run:
    runs = [order_with_engine(batches(arrivals), policy=SEMANTIC) for _ in range(times)]
    return Run(*(sum(column) for column in zip(*runs, strict=True)))
