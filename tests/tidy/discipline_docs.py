"""What docs/disciplines takes from the code: blocks that are printed, and programs that run.

A printed block stands between two comments, the first of which names where it comes from:

    <!-- tables: printed from ordering/disciplines/significant_tables.py -->
    ...
    <!-- end -->

`python -m tests.tidy.discipline_docs` writes all blocks anew.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from ordering.disciplines.registry import choose, names
from ordering.disciplines.significant_tables import TABLES, draw
from ordering.policy import Acceptance, GroupPolicy
from ordering.requirement import Measure, Requirement, UpTo
from ordering.stamps import CausalStamps
from ordering.values import MemberId, Message, MessageId
from tests.tidy.repository import ROOT

FOLDER = ROOT / "docs" / "disciplines"
BLOCK = re.compile(r"(<!-- (\w+): printed from \S+ -->\n).*?(<!-- end -->)", re.DOTALL)
PROGRAM = re.compile(r"```python\n(.*?)```(?:\nprints\n```text\n(.*?)```)?", re.DOTALL)

ALICE, BOB = MemberId("alice#1"), MemberId("bob#1")
PROBE = Message(MessageId(ALICE, 2), (), b"", CausalStamps((ALICE, BOB), csn=(2, 2), ack=(2, 2)))
"""Alice's second message, after Bob's first, for both."""


class Program(NamedTuple):
    """A program of a page, and what the page says that it prints."""

    page: str
    source: str
    prints: str


def page_of(discipline: str) -> Path:
    """Where a discipline is described; a page's name has no sign that an address cannot have."""
    return FOLDER / f"{discipline.replace('+', '-')}.md"


def pages() -> list[Path]:
    """Every page, the table to choose by first."""
    return [FOLDER / "README.md", *(page_of(name) for name in names())]


def programs() -> Iterator[Program]:
    """Every program on every page."""
    for page in pages():
        for source, prints in PROGRAM.findall(page.read_text(encoding="utf-8")):
            yield Program(page.name, source, prints)


def tables() -> str:
    """Print the tables of the significant order."""
    return "\n".join(
        f"{title.capitalize()}:\n```text\n{draw(table)}\n```" for title, table in TABLES.items()
    )


def levels() -> str:
    """Print what each acceptance level asks of a message of which everything can be asked."""
    columns = (
        "its sender's earlier messages",
        "all that `csn` counts",
        "a confirmation by all in `dst`",
    )
    lines = [f"| level | {' | '.join(columns)} |", "| --- |" + " :-: |" * len(columns)]
    for level in Acceptance:
        policy = GroupPolicy(discipline="causal", acceptance=level)
        required = choose(policy)[0].requires(PROBE)
        asked = (
            any(_is_delivery(one) and one.sender == PROBE.id.sender for one in required),
            any(_is_delivery(one) and one.sender != PROBE.id.sender for one in required),
            any(isinstance(one, UpTo) and one.by == BOB for one in required),
        )
        lines.append(
            f"| `{level.value}` | {' | '.join('x' if is_asked else '' for is_asked in asked)} |"
        )
    return "\n".join(lines)


def _is_delivery(requirement: Requirement) -> bool:
    return isinstance(requirement, UpTo) and requirement.measure is Measure.DELIVERED


PRINTED = {"tables": tables, "levels": levels}


def refreshed(page: str) -> str:
    """Give a page with all its blocks printed anew; an unknown name is a KeyError."""
    return BLOCK.sub(lambda found: f"{found[1]}{PRINTED[found[2]]()}\n{found[3]}", page)


def main() -> None:
    """Write all blocks of all pages anew."""
    for page in pages():
        page.write_text(refreshed(page.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
