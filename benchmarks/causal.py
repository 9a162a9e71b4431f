"""Causal order with sixteen members: vectors of sixteen entries on every message."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Final

from benchmarks.causal_arrivals import (
    CAUSAL_MEMBERS,
    CausalArrival,
    causal_batches,
    causal_conversation,
)
from benchmarks.contestants import order_with_engine
from benchmarks.options import Options
from benchmarks.timing import Run, race
from ordering.policy import GroupPolicy

CAUSAL: Final = GroupPolicy(discipline="causal")
JITTER: Final = 200


def race_causal(options: Options) -> tuple[dict[str, Run], dict[str, float]]:
    """Measure messages captured as they were sent, and with jitter."""
    count = options.messages
    name = f"causal_{CAUSAL_MEMBERS}_members"
    runs = race(
        {
            name: partial(_order, list(causal_conversation(count))),
            f"{name}_jitter_{JITTER}": partial(
                _order, list(causal_conversation(count, jitter=JITTER))
            ),
        },
        repeats=options.repeats,
    )
    return runs, {f"{name}_messages_per_s": run.per_s for name, run in runs.items()}


def _order(arrivals: Sequence[CausalArrival]) -> Run:
    return order_with_engine(causal_batches(arrivals), policy=CAUSAL)
