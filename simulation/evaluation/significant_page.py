"""The page on the significant order: what is left of causal order where only meaning counts.

Called by `writing` with recorded figures; every number in the text is read from them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

from simulation.evaluation.agreement import below, everywhere
from simulation.evaluation.page import Check, Line, LineChart, Page, Section, Table
from simulation.evaluation.significant_figures import (
    FIXED_CONFLICT_PERCENT,
    FIXED_STATE_PERCENT,
    SignificantFigures,
    SignificantPoint,
)


def present(figures: SignificantFigures) -> Page:
    """The whole page."""
    return Page(
        "significant",
        "Significant order against full causal order",
        "Two messages need an order only if it changes what an object becomes, or what a later "
        "message carries. The paper on the significant order of requests and responses defines "
        "when that is so, and measures nothing. How much of the full causal order does it leave?",
        (
            _model(figures),
            _sweep(
                "Against the share of operations that change state",
                "state",
                "Significant and causal order, as more operations change state",
                f"operations that change state, in percent (C = {FIXED_CONFLICT_PERCENT} %)",
                figures.against_state,
                lambda point: point.state_percent,
            ),
            _sweep(
                "Against the share of pairs that conflict",
                "conflict",
                "Significant and causal order, as more operations conflict",
                "C, conflicting pairs in percent of those that could "
                f"(state changed by {FIXED_STATE_PERCENT} %)",
                figures.against_conflict,
                lambda point: point.conflict_percent,
            ),
            Section("What the paper claims, and what we find", (_checks(figures),)),
        ),
    )


def _model(figures: SignificantFigures) -> Section:
    world = figures.world
    return Section(
        "The model",
        (
            f"{world.clients} clients call {world.services} services, which call {world.stores} "
            f"stores; {world.calls_per_operation} calls one after another in each operation of a "
            f"client or service, {world.transactions_per_client} transactions per client. Every "
            "object has four operations, of which a given share changes state; requests and "
            "responses carry data with chance one half each. Of the pairs of operations in which "
            "at least one changes state, a share C conflicts; conflicting operations of one object "
            "exclude each other. Work and network delay are exponential, "
            f"{world.mean_work_us / 1000:g} and {world.mean_network_us / 1000:g} ms. "
            f"{figures.runs} runs for each point, seed {figures.seed}; the code is "
            "`simulation/evaluation/significant_model.py`.",
            "*Pairs*: two messages with a common receiver that are causally ordered; a pair is "
            "needed if the tables of the `significant` discipline order it, directly or through "
            "others, and the receiver cares. *Waits*: all messages are captured with exponential "
            f"delays of {world.mean_capture_us / 1000:g} ms on top, and the production engine "
            "orders them once as `causal` and once as `significant`; those wait that aren't "
            "delivered on arrival.",
        ),
    )


def _sweep(
    heading: str,
    name: str,
    title: str,
    x_label: str,
    points: Sequence[SignificantPoint],
    position: Callable[[SignificantPoint], int],
) -> Section:
    def line(label: str, y: Callable[[SignificantPoint], float]) -> Line:
        return Line(label, tuple((float(position(point)), y(point)) for point in points))

    return Section(
        heading,
        (
            LineChart(
                f"significant-{name}",
                title,
                "Pairs in percent of those that full causal order orders, waits of all messages",
                x_label,
                "percent",
                (
                    line("pairs needed", lambda point: point.needed_percent),
                    line("wait, causal", lambda point: point.causal_waiting_percent),
                    line("wait, significant", lambda point: point.significant_waiting_percent),
                ),
            ),
            _pairs_and_waits(name, [(position(point), point) for point in points]),
            _causes(name, [(position(point), point) for point in points]),
        ),
    )


def _pairs_and_waits(name: str, points: Sequence[tuple[int, SignificantPoint]]) -> Table:
    return Table(
        "Pairs in percent of the causally ordered ones, waits in percent of the messages",
        (
            name,
            "causal pairs",
            "needed",
            "of them",
            "wait, causal",
            "wait, significant",
            "mean wait, causal",
            "mean wait, significant",
        ),
        tuple(_row(point, position) for position, point in points),
    )


def _causes(name: str, points: Sequence[tuple[int, SignificantPoint]]) -> Table:
    return Table(
        "Waits under the significant order, by what was missing last",
        (name, "same instance", "precedes otherwise", "doesn't precede"),
        tuple(
            (
                f"{position} %",
                f"{point.waits_in_instance:,}",
                f"{point.waits_otherwise:,}",
                f"{point.waits_by_vector:,}",
            )
            for position, point in points
        ),
    )


def _row(point: SignificantPoint, position: int) -> tuple[str, ...]:
    return (
        f"{position} %",
        f"{point.causal_pairs:,}",
        f"{point.needed_pairs:,}",
        f"{point.needed_percent:.1f} %",
        f"{point.causal_waiting_percent:.1f} %",
        f"{point.significant_waiting_percent:.1f} %",
        f"{point.causal_mean_wait_us / 1000:.2f} ms",
        f"{point.significant_mean_wait_us / 1000:.2f} ms",
    )


def _named(figures: SignificantFigures) -> list[tuple[str, SignificantPoint]]:
    return [
        (f"state={point.state_percent} % C={point.conflict_percent} %", point)
        for point in (*figures.against_state, *figures.against_conflict)
    ]


def _checks(figures: SignificantFigures) -> tuple[Check, ...]:
    most = max(point.needed_percent for _, point in _named(figures))
    return (
        below(
            "Significant order is less than full causal order: greatest share of pairs needed",
            bound=100,
            measured=most,
            unit=" %",
            reason="Even where everything changes state and conflicts, a response without data "
            "and a request without input order little.",
        ),
        everywhere(
            "Fewer messages wait, and shorter, than under full causal order",
            stated="all points",
            cases=[
                (
                    name,
                    point.significant_waiting_percent <= point.causal_waiting_percent
                    and point.significant_mean_wait_us <= point.causal_mean_wait_us,
                )
                for name, point in _named(figures)
            ],
            reason=_waits_reason(figures),
        ),
        everywhere(
            "The more operations change state, the more pairs are needed",
            stated="every step",
            cases=_rising(figures.against_state, lambda point: point.state_percent),
            reason="State joins the conflicts: two operations that only read never conflict.",
        ),
        everywhere(
            "The more pairs of operations conflict, the more pairs of messages are needed",
            stated="every step",
            cases=_rising(figures.against_conflict, lambda point: point.conflict_percent),
            reason="What is needed at C = 0 % is the order within one instance, which no "
            "commutativity removes. Each step also draws new histories: conflicts make "
            "operations wait for each other, and change who meets whom.",
        ),
    )


def _rising(
    points: Sequence[SignificantPoint], position: Callable[[SignificantPoint], int]
) -> list[tuple[str, bool]]:
    return [
        (f"{position(after)} %", after.needed_percent >= before.needed_percent)
        for before, after in pairwise(points)
    ]


def _waits_reason(figures: SignificantFigures) -> str:
    first, *_, last = figures.against_conflict
    middle = next(
        point
        for point in figures.against_state
        if point.state_percent == FIXED_STATE_PERCENT
        and point.conflict_percent == FIXED_CONFLICT_PERCENT
    )
    waits = middle.waits_in_instance + middle.waits_otherwise + middle.waits_by_vector
    return (
        f"In the middle of both sweeps {middle.needed_percent:.0f} % of the pairs are needed, but "
        f"{middle.significant_waiting_percent:.0f} % of the messages wait against "
        f"{middle.causal_waiting_percent:.0f} %. The waits shrink less than the pairs, because "
        f"{100 * middle.waits_in_instance / waits:.0f} % of them are for a message of the same "
        "instance, such as a response for its request, which every order asks for. "
        f"{100 * middle.waits_by_vector / waits:.0f} % are for messages that don't precede at all: "
        "a vector of instants asks for everything that a sender sent up to the newest message that "
        "does. More conflicts don't mean more waits: operations that exclude each other send "
        f"further apart, a message every {last.mean_gap_us / 1000:.2f} ms at "
        f"C = {last.conflict_percent} % and every {first.mean_gap_us / 1000:.2f} ms at "
        f"C = {first.conflict_percent} %."
    )
