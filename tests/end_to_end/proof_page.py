"""The tables of docs/operations/proof.md, made from the record of what was broken.

`python -m tests.end_to_end.proof_page` writes them anew, each between two comments:

    <!-- kills: made from proof.jsonl -->
    ...
    <!-- end -->

The record is what `python -m tests.end_to_end.soak PART --record FILE` appended, as it is.
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from tests.end_to_end.moments import Moment

FOLDER = Path(__file__).parent.parent.parent / "docs" / "operations"
PAGE, RECORD = FOLDER / "proof.md", FOLDER / "proof.jsonl"
BLOCK = re.compile(r"(<!-- (\w+): made from proof\.jsonl -->\n).*?(<!-- end -->)", re.DOTALL)
COUNTS = ("lost", "duplicated", "out_of_order", "unseen")

Line = dict[str, Any]


def made_anew(page: str, lines: Sequence[Line]) -> str:
    """The page with every block as the record says it."""
    return BLOCK.sub(lambda found: found[1] + BLOCKS[found[2]](lines) + found[3], page)


def read_record(file: Path = RECORD) -> list[Line]:
    """Every line of the record."""
    return [json.loads(text) for text in file.read_text(encoding="utf-8").splitlines()]


def kills(lines: Sequence[Line]) -> str:
    """What all kills came to, and a row for each moment."""
    died = [line for line in lines if line["kind"] == "kill"]
    runs = [line for line in lines if line["kind"] == "kills"]
    whole = [run for run in runs if "outcome" in run]
    in_time = Counter(line["moment"] for line in died if line["is_in_time"])
    in_all = Counter(line["moment"] for line in died)
    topic, table = _sum(run["topic"] for run in whole), _sum(run["table"] for run in whole)
    outcome = _sum(run["outcome"] for run in whole)
    counts = ", ".join(f"{name} {outcome[name]}" for name in COUNTS)
    furthest = max(run["topic"]["furthest_back"] for run in whole)
    rows = [
        (moment.value, in_all[moment.value], _timely(moment, in_time[moment.value]))
        for moment in Moment
        if in_all[moment.value]
    ]
    text = (
        f"**{len(died)} kills** in {len(runs)} runs, {_day(lines)}: {counts}; "
        f"{len(runs) - sum(run['ok'] for run in runs)} runs not as promised. "
        f"The reader of the topic met {topic['records']:,} records, {topic['repeats']:,} of them "
        f"repeats: {topic['changed']} changed, {topic['skipped']} skipped, "
        f"{topic['too_far_back']} from before the batch (the furthest went {furthest} records "
        f"back). The reader of the table looked {table['looks']:,} times at "
        f"{table['versions']:,} versions: {table['duplicated']} rows twice, {table['missing']} "
        f"missing, {table['vanished']} taken back, {table['unreadable']} looks that failed.\n\n"
    )
    return text + _table(("moment", "kills", "in time"), rows)


def matrix(lines: Sequence[Line]) -> str:
    """A row for each way of breaking each part."""
    rows = [
        (
            " ".join(cell["faults"][0]), f"{cell['messages']:,}",
            f"{cell['delivered_before'][0]:,}", cell["starts_of_driver"],
            cell["starts_of_agent"], *(cell["outcome"][name] for name in COUNTS),
            cell["not_captured"], cell["topic"]["repeats"], "yes" if cell["ok"] else "no",
        )
        for cell in lines
        if cell["kind"] == "cell" and "outcome" in cell
    ]  # fmt: skip
    head = ("fault", "messages", "delivered before", "starts of the job", "of the agent")
    return _table((*head, *COUNTS, "not delivered", "repeats in the topic", "kept"), rows)


def stall(lines: Sequence[Line]) -> str:
    """How long the steady messages took in each phase of the last measurement."""
    figures = [line for line in lines if line["kind"] == "stall"][-1]
    phases = [name.removesuffix("_median_ms") for name in figures if name.endswith("_median_ms")]
    rows = [
        (phase.replace("_", " "), figures[f"{phase}_median_ms"], figures[f"{phase}_worst_ms"])
        for phase in phases
        if phase != "start"
    ]
    peaks = figures["peak_megabytes"]["with_a_million_groups"]
    text = (
        f"{figures['chain']:,} messages in the chain, {figures['groups']:,} groups. Memory at most"
    )
    text += f": {peaks['python']} MB for a Python process, {peaks['java']} MB for the JVM.\n\n"
    return text + _table(("phase", "median, ms", "worst, ms"), rows)


def loads(lines: Sequence[Line]) -> str:
    """A row for each load, as it was last measured."""
    last = {line["load"]: line for line in lines if line["kind"] == "load" and line["ok"]}
    crowd, chain, large = (
        last[name] for name in ("million_groups", "long_chain", "large_payloads")
    )
    rows = [
        (
            f"{crowd['groups']:,} groups, each with its first message, in one batch",
            f"{crowd['peak_megabytes']} MB, {crowd['input_megabytes']} MB of them the messages",
            f"{crowd['state_bytes_per_group']} bytes for each group",
            f"{crowd['seconds']} s; a batch of 1,000 messages of one group takes "
            f"{crowd['small_batch_afterwards_seconds']} s afterwards",
        ),
        (
            f"a chain of {chain['chain']:,} held messages of 148 bytes, freed by one",
            f"{chain['peak_megabytes']} MB",
            f"{chain['state_megabytes_while_held']} MB",
            f"{chain['holding_seconds']} s for the batch that is held, "
            f"{chain['batch_that_heals_seconds']} s for the one that frees it, "
            f"{chain['ordinary_batch_of_that_size_seconds']} s for as many ordinary messages. "
            f"1,000 messages of another group take {chain['batch_before_seconds']} s beside the "
            f"held chain, and {chain['batch_after_seconds']} s when it is gone",
        ),
        (
            f"{large['payloads']} payloads of a mebibyte, half of them held",
            f"{large['peak_megabytes']} MB",
            f"{large['state_megabytes_while_held']} MB",
            f"{large['freeing_seconds']} s for the batch that frees all",
        ),
    ]
    return _table(("load", "memory at most", "state", "cost"), rows)


BLOCKS: dict[str, Callable[[Sequence[Line]], str]] = {
    "kills": kills,
    "matrix": matrix,
    "loads": loads,
    "stall": stall,
}


def _timely(moment: Moment, count: int) -> str:
    return "-" if moment is Moment.RANDOM else str(count)


def _sum(facts: Iterable[dict[str, int]]) -> Counter[str]:
    total: Counter[str] = Counter()
    for one in facts:
        total.update(one)
    return total


def _day(lines: Sequence[Line]) -> str:
    days = sorted({line["at"][:10] for line in lines if line["kind"] == "kill"})
    return days[0] if len(days) == 1 else f"{days[0]} to {days[-1]}"


def _table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(map(str, line))} |\n" for line in lines)


def main() -> int:
    """Write the page."""
    PAGE.write_text(made_anew(PAGE.read_text(encoding="utf-8"), read_record()), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
