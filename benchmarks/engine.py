"""The engine's benchmark: how fast one core orders, and against what.

    python -m benchmarks.engine [--output json] [--messages N] [--repeats K] [--largest N]

Everything runs in one thread of plain CPython. docs/BENCHMARKS.md says what each figure means.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from typing import Final

from benchmarks.causal import race_causal
from benchmarks.chains import race_chains
from benchmarks.figures import Measured, at_least, at_most, faults_of, print_measured, rounded
from benchmarks.groups import race_groups
from benchmarks.idle import idle_group_snapshot_bytes
from benchmarks.options import Options
from benchmarks.scaling import figures_by_size, run_by_size
from benchmarks.semantic import race_semantic
from benchmarks.timing import NS_PER_S, Run, Say, calibration_loop_ns, now_ns

DEFAULTS: Final = Options()
JITTERS: Final = (200, 1_000)
CALIBRATIONS: Final = 5
FLAT: Final = 1.5
"""What counts as flat: well below the tenfold that a cost growing with the size would show, and
above what a busy machine adds."""

GOALS: Final = {
    "semantic_jitter_200_messages_per_s": at_least(1_000_000),
    "semantic_jitter_1000_messages_per_s": at_least(500_000),
    "causal_16_members_messages_per_s": at_least(300_000),
    "ratio_cost_per_message_1e5_to_1e4": at_most(FLAT),
    "ratio_cost_per_message_1e6_to_1e4": at_most(FLAT),
    "ratio_cost_per_message_1e7_to_1e4": at_most(FLAT),
    "ratio_cost_per_message_chain_1e5_to_1e4": at_most(FLAT),
    "idle_group_snapshot_bytes": at_most(300),
}
"""What the engine is meant to reach on one core of a current server that has nothing else to do."""


def measure(options: Options = DEFAULTS, *, say: Say = lambda _: None) -> Measured:
    """Measure everything; `say` is told what is being measured."""
    wall_started, own_started = time.perf_counter_ns(), now_ns()
    runs: dict[str, Run] = {}
    figures: dict[str, float] = {"calibration_loop_ns": _calibrated()}
    for jitter in JITTERS:
        say(f"semantic order at jitter {jitter:,}, against the naive algorithm and the sorts")
        _add(race_semantic(jitter, options), runs, figures)
    say("causal order with 16 members")
    _add(race_causal(options), runs, figures)
    say(f"{options.groups:,} groups with few messages in each batch")
    _add(race_groups(options), runs, figures)
    say("chains, end first")
    _add(race_chains(options), runs, figures)
    say(f"cost per message up to {options.largest:,} messages")
    _add(figures_by_size(run_by_size(options.largest)), runs, figures)
    say(f"an idle group after {options.idle_messages:,} messages")
    figures["idle_group_snapshot_bytes"] = idle_group_snapshot_bytes(options.idle_messages)
    # A machine that slowed down meanwhile shows here: the better of both is its pace.
    figures["calibration_loop_ns"] = min(figures["calibration_loop_ns"], _calibrated())
    own_ns = now_ns() - own_started
    figures["wall_per_processor_time_ratio"] = (time.perf_counter_ns() - wall_started) / own_ns
    figures["processor_time_s"] = own_ns / NS_PER_S
    rates = {name: rounded(figure) for name, figure in figures.items()}
    return Measured(rates, GOALS, faults_of(runs))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run from the shell; gives the exit code."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.engine", description=__doc__)
    parser.add_argument("--output", choices=("table", "json"), default="table")
    parser.add_argument("--messages", type=int, default=DEFAULTS.messages, metavar="N")
    parser.add_argument("--repeats", type=int, default=DEFAULTS.repeats, metavar="K")
    parser.add_argument("--largest", type=int, default=DEFAULTS.largest, metavar="N")
    chosen = parser.parse_args(arguments)
    options = DEFAULTS._replace(
        messages=chosen.messages, repeats=chosen.repeats, largest=chosen.largest
    )
    measured = measure(options, say=lambda line: print(line, file=sys.stderr, flush=True))
    return print_measured(measured, as_json=chosen.output == "json")


def _calibrated() -> float:
    return min(calibration_loop_ns() for _ in range(CALIBRATIONS))


def _add(
    part: tuple[dict[str, Run], dict[str, float]], runs: dict[str, Run], figures: dict[str, float]
) -> None:
    runs.update(part[0])
    figures.update(part[1])


if __name__ == "__main__":
    sys.exit(main())
