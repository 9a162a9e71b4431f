"""Laws of the SCO checks: what arithmetic decides comes out as arithmetic says."""

from __future__ import annotations

from functools import cache

from simulation.evaluation.options import Options, Size
from simulation.evaluation.page import Verdict
from simulation.evaluation.sco_checks import all_checks, delay_ratios, fixed_point
from simulation.evaluation.sco_figures import ScoFigures, measure


@cache
def small() -> ScoFigures:
    return measure(Options(size=Size.SMALL))


def test_checks_that_rest_on_counting_have_their_known_verdicts() -> None:
    verdicts = {check.claim: check.verdict for check in all_checks(small())}
    assert verdicts["C0 needs 3r messages for each data message (r = 5)"] is Verdict.AGREES
    assert verdicts["D0 needs r² messages for each data message (r = 5)"] is Verdict.DIFFERS
    assert verdicts["C0 takes three rounds (in time units, t = 4)"] is Verdict.AGREES
    assert verdicts["D0 takes two rounds (in time units, t = 4)"] is Verdict.AGREES


def test_no_scheme_of_two_rounds_is_half_of_one_of_three() -> None:
    ratios = delay_ratios(fixed_point(small()))
    assert {check.verdict for check in ratios} == {Verdict.DIFFERS}
