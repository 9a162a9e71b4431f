"""Holds a stated figure against a measured one: agrees within a tolerance, or differs.

The `*_page` modules call these for every statement of a paper. The verdict is always computed from
the two numbers that the check prints, so a page can't claim an agreement that its figures don't
show.

    stated 50.0 %, tolerance 5.0      measured 47.1 %  -> agrees
                                      measured 41.0 %  -> differs
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from simulation.evaluation.page import Check, Verdict


def close_to(
    claim: str, *, stated: float, measured: float, tolerance: float, unit: str = "", reason: str
) -> Check:
    """The paper gives a number; ours is at most `tolerance` away from it (in the same unit)."""
    return Check(
        claim,
        f"{_figure(stated, unit)} (± {tolerance:g})" if tolerance else _figure(stated, unit),
        _figure(measured, unit),
        _verdict(abs(measured - stated) <= tolerance),
        reason,
    )


def below(claim: str, *, bound: float, measured: float, unit: str = "", reason: str) -> Check:
    """The paper gives an upper bound; ours stays strictly below it."""
    return Check(
        claim, f"< {bound:g}{unit}", _figure(measured, unit), _verdict(measured < bound), reason
    )


def between(
    claim: str, *, low: float, high: float, measured: float, unit: str = "", reason: str
) -> Check:
    """The paper says "about"; ours lies in the closed range that we read into the word."""
    return Check(
        claim,
        f"{low:g} to {high:g}{unit}",
        _figure(measured, unit),
        _verdict(low <= measured <= high),
        reason,
    )


def everywhere(
    claim: str,
    *,
    stated: str,
    cases: Iterable[tuple[str, bool]],
    reason: str | Callable[[list[str]], str],
) -> Check:
    """The paper says something of a whole curve; ours holds at every named point.

    `cases` are (name of the point, holds there). The points where it fails are printed, and given
    to `reason` where that is a function.
    """
    listed = list(cases)
    failing = [name for name, holds in listed if not holds]
    measured = f"holds at {len(listed) - len(failing)} of {len(listed)} points"
    if failing:
        measured += f", not at {', '.join(failing)}"
    words = reason if isinstance(reason, str) else reason(failing)
    return Check(claim, stated, measured, _verdict(not failing), words)


def _figure(value: float, unit: str) -> str:
    """Three digits, or all of them before the point."""
    return f"{value:,.0f}{unit}" if abs(value) >= 1000 else f"{value:.3g}{unit}"


def _verdict(holds: bool) -> Verdict:
    return Verdict.AGREES if holds else Verdict.DIFFERS
