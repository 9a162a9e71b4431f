"""Turns a page into markdown text. Pure: the same page gives the same bytes.

`writing` calls it. Charts become image links to the files that `writing` puts next to the page.
"""

from __future__ import annotations

from simulation.evaluation.page import BarChart, Check, LineChart, Page, Table, Verdict

GENERATED = "<!-- Written by `precede evaluate`; edits are lost at the next run. -->"


def page_text(page: Page, *, digest: str) -> str:
    """The whole page; `digest` names the figures that it was made from."""
    lines = [GENERATED, f"# {page.title}", "", page.summary, ""]
    for section in page.sections:
        lines += [f"## {section.heading}", ""]
        for block in section.blocks:
            lines += [_block_text(block), ""]
    lines += [
        "## Where this page comes from",
        "",
        f"Made by `precede evaluate {page.name}` from [`{page.name}.json`]({page.name}.json), "
        f"sha256 `{digest}`.",
        "",
    ]
    return "\n".join(lines)


def _block_text(block: str | Table | LineChart | BarChart | tuple[Check, ...]) -> str:
    if isinstance(block, str):
        return block
    if isinstance(block, Table):
        return table_text(block)
    if isinstance(block, LineChart | BarChart):
        return f"![{block.title}: {block.subtitle}]({chart_file(block)})"
    return checks_text(block)


def chart_file(chart: LineChart | BarChart) -> str:
    """The name of the file that a chart is written to."""
    return f"{chart.name}.svg"


def table_text(table: Table) -> str:
    """A markdown table with its title above; the first column to the left, figures to the right."""
    head = "| " + " | ".join(table.columns) + " |"
    rule = "| :-- |" + " --: |" * (len(table.columns) - 1)
    body = ["| " + " | ".join(row) + " |" for row in table.rows]
    return "\n".join([f"**{table.title}**", "", head, rule, *body])


def checks_text(checks: tuple[Check, ...]) -> str:
    """The checks as one table with both figures, then the reasons, numbered."""
    lines = ["| | stated | stated figure | ours | verdict |", "| --: | :-- | :-- | :-- | :-- |"]
    for number, check in enumerate(checks, start=1):
        verdict = "agrees" if check.verdict is Verdict.AGREES else "**differs**"
        lines.append(
            f"| {number} | {check.claim} | {check.stated} | {check.measured} | {verdict} |"
        )
    lines.append("")
    lines += [f"{number}. {check.reason}" for number, check in enumerate(checks, start=1)]
    return "\n".join(lines)
