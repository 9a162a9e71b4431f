"""Break the service on purpose, for long: `python -m tests.end_to_end.soak all`.

Prints one JSON object for each thing that was broken and one for what each run came to. The exit
code is 1 if any promise was not kept.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from deploy.errors import ChildFailedError
from deploy.local.broker import Broker
from tests.end_to_end.cluster_run import run_on_cluster
from tests.end_to_end.heavy_weather import LOADS
from tests.end_to_end.kills import Kill, run_kills
from tests.end_to_end.matrix import How, Whom, run_cell
from tests.end_to_end.moments import Moment
from tests.end_to_end.pieces import run_pieces
from tests.end_to_end.stall import measure
from tests.topic_tools import new_topics

KILLS_PER_RUN = 25
PARTS = ("kills", "matrix", "pieces", "cluster", "loads", "stall")
MESSAGES_IN_PIECES = 200


def main(arguments: list[str] | None = None) -> int:
    """Run what was asked for."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.end_to_end.soak", description=__doc__.split("\n")[0]
    )
    parser.add_argument("part", choices=("all", *PARTS))
    parser.add_argument("--record", type=Path, help="append the JSON lines to this file too")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kills", type=int, default=100, help="how often the job is killed")
    parser.add_argument(
        "--moments", nargs="+", type=Moment, default=list(Moment), help="only at these; else at all"
    )
    parser.add_argument("--messages", type=int, default=100_000, help="in each cell of the matrix")
    chosen = parser.parse_args(arguments)
    recorder = Recorder(chosen.record)
    is_ok = True
    if chosen.part in ("all", "kills"):
        is_ok &= soak_kills(recorder, chosen.moments, count=chosen.kills, seed=chosen.seed)
    if chosen.part in ("all", "matrix"):
        is_ok &= soak_matrix(recorder, messages=chosen.messages, seed=chosen.seed)
    if chosen.part in ("all", "pieces"):
        is_ok &= soak_pieces(recorder, seed=chosen.seed)
    if chosen.part in ("all", "cluster"):
        is_ok &= soak_cluster(recorder)
    if chosen.part in ("all", "loads"):
        is_ok &= soak_loads(recorder)
    if chosen.part in ("all", "stall"):
        with tempfile.TemporaryDirectory(prefix="precede-soak-") as directory:
            recorder.tell("stall", **measure(Path(directory)))
    return 0 if is_ok else 1


class Recorder:
    """Writes JSON lines to standard output, and to a file."""

    def __init__(self, maybe_file: Path | None) -> None:
        self._maybe_file = maybe_file

    def tell(self, kind: str, **facts: Any) -> None:
        """Write one line; values that are named tuples become objects."""
        plain = {
            name: value._asdict() if hasattr(value, "_asdict") else value
            for name, value in facts.items()
        }
        at = datetime.now(UTC).isoformat(timespec="seconds")
        line = json.dumps({"kind": kind, "at": at, **plain})
        print(line, flush=True)
        if self._maybe_file is not None:
            with self._maybe_file.open("a", encoding="utf-8") as opened:
                opened.write(line + "\n")


def soak_kills(recorder: Recorder, moments: Sequence[Moment], *, count: int, seed: int) -> bool:
    """So many kills, in runs of `KILLS_PER_RUN`, every moment as often as any other."""
    plan = [moments[number % len(moments)] for number in range(count)]
    random.Random(seed).shuffle(plan)
    is_ok = True
    with Broker() as broker:
        for begin in range(0, count, KILLS_PER_RUN):
            is_ok &= _soak_run(
                broker, recorder, plan[begin : begin + KILLS_PER_RUN], seed=seed * 1_000 + begin
            )
    return is_ok


def _soak_run(broker: Broker, recorder: Recorder, moments: list[Moment], *, seed: int) -> bool:
    began_at = time.monotonic()

    def tell(kill: Kill) -> None:
        recorder.tell("kill", seed=seed, **kill._asdict())

    with tempfile.TemporaryDirectory(prefix="precede-soak-") as directory:
        kafka = new_topics(broker.bootstrap)
        try:
            result = run_kills(kafka, Path(directory), moments, seed=seed, tell=tell)
        except (AssertionError, ChildFailedError) as error:
            recorder.tell("kills", seed=seed, ok=False, error=str(error))
            return False
    recorder.tell(
        "kills", seed=seed, ok=result.ok, kills=len(result.kills), outcome=result.outcome,
        topic=result.topic, table=result.table, seconds=round(time.monotonic() - began_at, 1),
    )  # fmt: skip
    return result.ok


def soak_matrix(recorder: Recorder, *, messages: int, seed: int) -> bool:
    """Every way of breaking every part, each over so many messages."""
    is_ok = True
    for how in How:
        for whom in Whom:
            is_ok &= _soak_cell(recorder, how, whom, messages=messages, seed=seed)
    return is_ok


def _soak_cell(recorder: Recorder, how: How, whom: Whom, *, messages: int, seed: int) -> bool:
    with tempfile.TemporaryDirectory(prefix="precede-soak-") as directory:
        try:
            result = run_cell([(how, whom)], Path(directory), messages=messages, seed=seed)
        except (AssertionError, ChildFailedError) as error:
            recorder.tell("cell", faults=[(how, whom)], ok=False, error=str(error))
            return False
    recorder.tell("cell", ok=result.ok, **result._asdict())
    return result.ok


def soak_pieces(recorder: Recorder, *, seed: int) -> bool:
    """The same log in batches of any size and in topics of any number of partitions."""
    with Broker() as broker, tempfile.TemporaryDirectory(prefix="precede-soak-") as directory:
        result = run_pieces(broker, Path(directory), messages=MESSAGES_IN_PIECES, seed=seed)
    recorder.tell("pieces", ok=result.ok, **result._asdict())
    return result.ok


def soak_cluster(recorder: Recorder) -> bool:
    """The job on a cluster of which a worker is killed."""
    with Broker() as broker, tempfile.TemporaryDirectory(prefix="precede-soak-") as directory:
        result = run_on_cluster(broker, Path(directory))
    recorder.tell("cluster", ok=result.ok, **result._asdict())
    return result.ok


def soak_loads(recorder: Recorder) -> bool:
    """Loads that no honest sender makes, each in a process of its own."""
    is_ok = True
    for name in LOADS:
        command = [sys.executable, "-m", "tests.end_to_end.heavy_weather", name]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            recorder.tell("load", ok=False, load=name, error=done.stderr[-500:])
            is_ok = False
        else:
            recorder.tell("load", ok=True, **json.loads(done.stdout))
    return is_ok


if __name__ == "__main__":
    sys.exit(main())
