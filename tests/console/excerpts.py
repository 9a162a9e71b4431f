"""How the shipped scripts of the demo's scenes are made from the real data of the tests.

    python -m tests.console.excerpts       writes the files of console/demo/excerpts

A law compares the shipped files with what this makes, so that they stay what the sources say.
"""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

from console.demo.scene import BROADCAST, TRACES

DATA = Path(__file__).parents[1] / "data"
CHOSEN = ("dd0ce7f7", "4139232d", "59c1a574", "7a350373", "297936a9")
"""The first letters of the traces that are shown."""

TRACE_EVERY_S = 4.0
TRACE_LASTS_S = 9.0
EVENT_EVERY_S = 0.2
NANOSECONDS_PER_MILLISECOND = 1_000_000


def traces() -> list[dict[str, Any]]:
    """Spans as messages: sent when they end, in answer to the span that called them."""
    rows = _rows("spans/online-boutique.jsonl.gz")
    lines: list[dict[str, Any]] = []
    for number, start in enumerate(CHOSEN):
        spans = [row for row in rows if row["group"].startswith(start)]
        began = min(row["data"]["start"] for row in spans)
        lasted = max(row["data"]["end"] for row in spans) - began
        for row in sorted(spans, key=lambda row: (row["sender"], row["seq"])):
            data = row["data"]
            took_ms = (data["end"] - data["start"]) / NANOSECONDS_PER_MILLISECOND
            at = number * TRACE_EVERY_S + (data["end"] - began) / lasted * TRACE_LASTS_S
            lines.append(
                {
                    "group": f"trace-{start}",
                    "sender": _service(row["sender"]),
                    "seq": row["seq"],
                    "parent": row["parent"] and [_service(row["parent"][0]), row["parent"][1]],
                    "at": round(at, 3),
                    "data": f"{data['op'].removeprefix('hipstershop.')} ({took_ms:.1f} ms)",
                }
            )
    return lines


def broadcast() -> list[dict[str, Any]]:
    """Events of a broadcast with their vector clocks, one after the other."""
    lines = []
    for number, row in enumerate(_rows("vector-clocks/reliable-broadcast.jsonl.gz")):
        line = {
            "group": "broadcast",
            "sender": row["sender"],
            "seq": row["seq"],
            "parent": row["parent"],
            "at": round(number * EVENT_EVERY_S, 3),
            "clock": row["clock"],
            "data": row["data"],
        }
        lines.append(line | ({"also": row["also"]} if row.get("also") else {}))
    return lines


def written(lines: list[dict[str, Any]]) -> str:
    """One JSON object per line."""
    return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)


def _service(pod: str) -> str:
    """A pod's name without the two random words at its end."""
    return pod.rsplit("-", 2)[0]


def _rows(name: str) -> list[dict[str, Any]]:
    with gzip.open(DATA / name, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


if __name__ == "__main__":
    TRACES.write_text(written(traces()), encoding="utf-8")
    BROADCAST.write_text(written(broadcast()), encoding="utf-8")
