"""Laws of the waiting checks: what must hold by definition holds on the excerpt."""

from __future__ import annotations

from pathlib import Path

from simulation.evaluation.options import Options, Size
from simulation.evaluation.page import Verdict
from simulation.evaluation.waiting_checks import all_checks
from simulation.evaluation.waiting_figures import measure

EXCERPT = Path(__file__).resolve().parents[2] / "console" / "excerpt"


def test_on_a_conversation_everything_that_the_paper_claims_holds() -> None:
    checks = all_checks(measure(Options(size=Size.SMALL, data_directory=EXCERPT)))
    assert len(checks) == 5
    assert {check.verdict for check in checks} == {Verdict.AGREES}
