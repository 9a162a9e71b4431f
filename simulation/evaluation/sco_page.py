"""The page on SCO: messages and delay of the four schemes, and what the paper says of them.

Called by `writing` with recorded figures; every number in the text is read from them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from simulation.evaluation.page import Line, LineChart, Page, Section, Table
from simulation.evaluation.sco_checks import all_checks, delay_ratios, fixed_point
from simulation.evaluation.sco_figures import (
    FIXED_DESTINATIONS,
    FIXED_PATIENCE_UNITS,
    SchemePoint,
    ScoFigures,
    SweepPoint,
)
from simulation.evaluation.sco_model import Scheme


def present(figures: ScoFigures) -> Page:
    """The whole page."""
    return Page(
        "sco",
        "SCO: messages and delay of four acceptance schemes",
        "When may a member hand a message to its application, knowing that everyone else who "
        "should have it has it? A coordinator can collect and announce (C), or the destinations "
        "can tell each other (D); confirmations can go at once (0), or wait and ride on data (1). "
        "D1 is the SCO protocol of `ordering`'s `causal` discipline.",
        (
            _model(figures),
            _sweep_section(
                "Against k, how long a confirmation may wait",
                "k",
                f"k, time units of silence before a control message (r = {FIXED_DESTINATIONS})",
                figures.against_patience,
                lambda point: point.patience_units,
            ),
            _sweep_section(
                "Against r, how many members a message is for",
                "r",
                f"r, destinations of each message (k = {FIXED_PATIENCE_UNITS})",
                figures.against_destinations,
                lambda point: point.destinations,
            ),
            Section(
                "What the paper states, and what we find",
                (all_checks(figures),),
            ),
            _timer_section(figures),
        ),
    )


def _model(figures: ScoFigures) -> Section:
    return Section(
        "The model",
        (
            f"{figures.members} members, {figures.data_per_unit} data message per member and time "
            f"unit, each to r members drawn at random; a network that loses nothing and takes "
            f"{figures.units_per_round} units for every message. Confirmations and commitments of "
            "C1 and D1 wait for the next data message to the same member; after k units without "
            "any message to that member they go in one control message. Delay is from sending to "
            "full acceptance: the message and all that causally precede it are known to be "
            "accepted by all their destinations. Every packet on the network counts as a message. "
            f"{figures.measured_units} units are measured after {figures.warm_up_units} of "
            f"warm-up, seed {figures.seed}; the code is `simulation/evaluation/sco_model.py`.",
        ),
    )


def _sweep_section(
    heading: str,
    letter: str,
    x_label: str,
    points: Sequence[SweepPoint],
    position: Callable[[SweepPoint], int],
) -> Section:
    def chart(name: str, title: str, y_label: str, y: Callable[[SchemePoint], float]) -> LineChart:
        lines = tuple(
            Line(scheme.value, tuple((float(position(p)), y(p.of(scheme))) for p in points))
            for scheme in Scheme
        )
        subtitle = "C centralised, D distributed; 0 plain, 1 deferred and carried by data"
        return LineChart(f"sco-{name}-{letter}", title, subtitle, x_label, y_label, lines)

    return Section(
        heading,
        (
            chart(
                "messages",
                f"Messages against {letter}",
                "messages, as a ratio to C0",
                lambda p: p.messages_ratio,
            ),
            chart(
                "delay",
                f"Delay to full acceptance against {letter}",
                "delay, as a ratio to C0",
                lambda p: p.full_delay_ratio,
            ),
            _table(letter, points, position),
        ),
    )


def _table(
    letter: str, points: Sequence[SweepPoint], position: Callable[[SweepPoint], int]
) -> Table:
    return Table(
        "Ratios to C0, and in brackets the figures themselves "
        "(messages per data message; time units)",
        (
            letter,
            *(f"messages {scheme.value}" for scheme in Scheme),
            *(f"delay {scheme.value}" for scheme in Scheme),
        ),
        tuple(
            (
                str(position(point)),
                *(
                    f"{p.messages_ratio:.2f} ({p.messages_per_data_message:.1f})"
                    for p in map(point.of, Scheme)
                ),
                *(
                    f"{p.full_delay_ratio:.2f} ({p.full_delay_units:.1f})"
                    for p in map(point.of, Scheme)
                ),
            )
            for point in points
        ),
    )


def _timer_section(figures: ScoFigures) -> Section:
    fixed = fixed_point(figures)
    readings = (("last message", fixed), ("first waiting note", figures.other_timer))
    moved = sum(
        ours.verdict is not theirs.verdict
        for ours, theirs in zip(delay_ratios(fixed), delay_ratios(figures.other_timer), strict=True)
    )
    return Section(
        "A rule that the paper gives twice",
        (
            "The protocol's section lets a confirmation wait k units from its acceptance; the "
            "evaluation's section sends a control message to whom nothing was sent for k units. "
            f"The figures above follow the second. The choice changes {moved} of the verdicts on "
            "the ratios of delay.",
            Table(
                f"k = {FIXED_PATIENCE_UNITS}, r = {FIXED_DESTINATIONS}, ratios to C0",
                ("k counts from the", "messages C1", "messages D1", "delay C1", "delay D1"),
                tuple(
                    (
                        name,
                        *(f"{p.of(s).messages_ratio:.3f}" for s in (Scheme.C1, Scheme.D1)),
                        *(f"{p.of(s).full_delay_ratio:.3f}" for s in (Scheme.C1, Scheme.D1)),
                    )
                    for name, p in readings
                ),
            ),
        ),
    )
