"""Laws of the index: every evaluation is counted, every difference is listed with both figures."""

from __future__ import annotations

from simulation.evaluation.index import index_text
from simulation.evaluation.page import Check, Page, Section, Verdict


def test_the_index_counts_verdicts_and_lists_every_difference() -> None:
    checks = (
        Check("agreed upon", "1", "1", Verdict.AGREES, "so"),
        Check("fails", "50 %", "41 %", Verdict.DIFFERS, "because"),
    )
    text = index_text([Page("sco", "SCO", "s", (Section("h", (checks,)),))])
    assert "| [SCO](sco.md) | 2 | 1 | 1 |" in text
    assert "fails: stated 50 %, ours 41 %. because" in text
    assert "agreed upon" not in text
    assert "precede evaluate" in text
