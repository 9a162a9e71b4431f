"""Semantic order: the engine against the paper's own algorithm and against topological sorts.

All get arrivals of the same conversation (arrivals.py) and take turns within one run, so that the
ratios between them mean something on any machine, however busy it is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Final

from benchmarks.arrivals import CLOSE, FAR, Arrival, conversation
from benchmarks.contestants import (
    order_naively,
    order_one_by_one,
    order_with_engine,
    sort_at_once,
)
from benchmarks.decoding import batches
from benchmarks.options import Options
from benchmarks.sorting import Sort, sorts
from benchmarks.timing import Contestant, Run, race, without_collector
from ordering.engine import Engine
from ordering.events import Held
from ordering.policy import GroupPolicy

SEMANTIC: Final = GroupPolicy(discipline="semantic")
ENGINE: Final = "semantic"
NAIVE: Final = "naive"
MAIN_JITTER: Final = 200
"""Ratios at this jitter carry no jitter in their names."""


def race_semantic(jitter: int, options: Options) -> tuple[dict[str, Run], dict[str, float]]:
    """Race at one jitter; give the best runs, and the figures that they come to."""
    arrivals = list(conversation(options.messages, jitter=jitter))
    runs = race(_contestants(arrivals, jitter, options), repeats=options.repeats)
    figures = {figure_name(name, jitter): run.per_s for name, run in runs.items()}
    figures[f"semantic_jitter_{jitter}_held_percent"] = held_percent(arrivals)
    figures |= ratios(runs, jitter)
    return {f"{name} at jitter {jitter}": run for name, run in runs.items()}, figures


def figure_name(contestant: str, jitter: int) -> str:
    """Name a rate: `semantic_close` at 200 is `semantic_jitter_200_close_messages_per_s`."""
    first, _, variant = contestant.partition("_")
    return "_".join(filter(None, (first, "jitter", str(jitter), variant, "messages_per_s")))


def ratios(runs: Mapping[str, Run], jitter: int) -> dict[str, float]:
    """Compare the engine with the naive algorithm and with the fastest of the sorts."""
    suffix = "" if jitter == MAIN_JITTER else f"_jitter_{jitter}"
    own = runs[ENGINE].per_s
    compared = {f"ratio_to_naive{suffix}": own / runs[NAIVE].per_s}
    rates_of_sorts = [runs[name].per_s for name in sorts() if name in runs]
    if rates_of_sorts:
        compared[f"ratio_to_topological_sort{suffix}"] = own / max(rates_of_sorts)
    return compared


def held_percent(arrivals: Sequence[Arrival]) -> float:
    """Count how many of the messages have to wait for their parent: how hard the input is."""
    engine = Engine(SEMANTIC)
    held = 0
    for batch in batches(arrivals):
        held += sum(isinstance(event, Held) for event in engine.receive_all(batch, now=0))
    return 100 * held / len(arrivals)


def _contestants(
    arrivals: Sequence[Arrival], jitter: int, options: Options
) -> dict[str, Contestant]:
    """Name everyone who runs; the sorts and the engine's variants at the main jitter alone."""
    fewer = list(conversation(options.naive_messages, jitter=jitter))

    def engine() -> Run:
        return order_with_engine(batches(arrivals), policy=SEMANTIC)

    def engine_without_collector() -> Run:
        with without_collector():
            return engine()

    contestants: dict[str, Contestant] = {
        ENGINE: engine,
        "semantic_collector_off": engine_without_collector,
        NAIVE: lambda: order_naively(batches(fewer)),
    }
    if jitter == MAIN_JITTER:
        contestants |= _only_at_main_jitter(arrivals, options)
    return contestants


def _only_at_main_jitter(arrivals: Sequence[Arrival], options: Options) -> dict[str, Contestant]:
    """Name the sorts, which see all messages at once, so that jitter is nothing to them, and the
    engine with other conversations and with single messages."""
    close = list(conversation(options.messages, jitter=MAIN_JITTER, recent=CLOSE))
    far = list(conversation(options.messages, jitter=MAIN_JITTER, recent=FAR))

    def sorted_by(sort: Sort) -> Run:
        return sort_at_once(batches(arrivals), sort=sort)

    return {
        "semantic_close": lambda: order_with_engine(batches(close), policy=SEMANTIC),
        "semantic_far": lambda: order_with_engine(batches(far), policy=SEMANTIC),
        "semantic_one_by_one": lambda: order_one_by_one(batches(arrivals), policy=SEMANTIC),
        **{name: partial(sorted_by, sort) for name, sort in sorts().items()},
    }
