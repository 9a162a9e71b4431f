"""The page on waiting: Sb against FIFO, causal and total order, on messages that people sent.

Called by `writing` with recorded figures; every number in the text is read from them.
"""

from __future__ import annotations

from collections.abc import Iterable

from simulation.evaluation.orders import Order
from simulation.evaluation.page import (
    BarChart,
    BarGroup,
    Line,
    LineChart,
    Page,
    Scale,
    Section,
    Table,
)
from simulation.evaluation.waiting_checks import all_checks
from simulation.evaluation.waiting_figures import (
    SWEEP_ORDERS,
    SetFigures,
    Summary,
    WaitingFigures,
)

LEAST_FOR_A_CHART = 100
"""A set with fewer measured messages stands in the tables only, as does one where none waits."""


def present(figures: WaitingFigures) -> Page:
    """The whole page."""
    return Page(
        "waiting",
        "Waiting: Sb against FIFO, causal and total order, on real messages",
        "The Sb paper claims that a message should wait for what it answers and for nothing else, "
        "and that causal and total order make it wait for strangers. It measures nothing. Here the "
        "production engine orders real messages under each order, and every wait is counted.",
        (
            _data(figures),
            _orders(),
            _who_waits(figures),
            *(_set_section(one) for one in figures.sets),
            _longer(figures),
            _sweep(figures),
            Section("What is stated, and what we find", (all_checks(figures),)),
        ),
    )


def _data(figures: WaitingFigures) -> Section:
    return Section(
        "The messages",
        (
            f"Read from {figures.source.value}.",
            Table(
                "The sets",
                ("set", "kind", "groups", "messages", "measured", "arrived before the parent"),
                tuple(
                    (
                        one.name,
                        one.kind.value,
                        f"{one.groups:,}",
                        f"{one.messages:,}",
                        f"{one.measured:,}",
                        f"{one.arrived_before_parent:,}",
                    )
                    for one in figures.sets
                ),
            ),
            "Spans arrive when they *end*, as recorded, so that a parent comes after its children. "
            "Events with vector clocks, and the traces of zipkin, arrive in the order of their "
            "file. Chat has only an order of sending: each message arrives after a delay drawn "
            "from a law measured on a mailing list (half within 12 s, 90 % within 156 s, 99 % "
            "within 5,717 s). Of chat, messages are measured whose parent somebody has looked for; "
            f"the others are sent and ordered too. Seed {figures.seed}.",
        ),
    )


def _orders() -> Section:
    return Section(
        "The orders",
        (
            "- **Sb**: after its parents. The engine's `semantic`.\n"
            "- **FIFO**: after its sender's earlier messages. The engine's `fifo`.\n"
            "- **causal, known links**: after its sender's earlier messages and its parents, and "
            "all that those follow; where the source has vector clocks, after all that its clock "
            "counts. The least that a causal protocol can order. The engine's `causal`.\n"
            "- **causal, all seen**: by the rule that a sender has seen everything before it in "
            "the log. The most that a causal protocol can order, and what it does order where "
            "everybody reads along. The engine's `causal`.\n"
            "- **total**: after the message sent just before it, as under one clock for all; a "
            "chain of parents for the engine. The engine's own `total` is not that order: it takes "
            "the captured log for the sequence, and nothing ever waits.",
            "A message waits if it is not delivered on arrival. Its wait ends when another message "
            "arrives; *for what* says what that last missing message is to it.",
        ),
    )


def _who_waits(figures: WaitingFigures) -> Section:
    shown = [
        one
        for one in figures.sets
        if one.measured >= LEAST_FOR_A_CHART and any(summary.waiting for summary in one.orders)
    ]
    return Section(
        "How many wait",
        (
            BarChart(
                "waiting-share",
                "Messages that wait, by order",
                "Real messages through the production engine",
                "percent of the measured messages",
                tuple(order.value for order in Order),
                tuple(
                    BarGroup(one.name, tuple(_percent(one.of(order)) for order in Order))
                    for one in shown
                ),
            ),
        ),
    )


def _percent(summary: Summary) -> float:
    return round(100 * summary.waiting / summary.measured, 1)


def _set_section(one: SetFigures) -> Section:
    return Section(
        f"Set {one.name}",
        (
            Table(
                "How many wait, and for what at the end",
                (
                    "order",
                    "wait",
                    "of all",
                    "for an ancestor",
                    "for its sender's own",
                    "for an unrelated one",
                    "never delivered",
                    "delivered before a parent",
                    "most held",
                ),
                tuple(_count_row(summary) for summary in one.orders),
            ),
            Table(
                "How long, in messages that arrive meanwhile and in time (the means over all "
                "messages), and how many entries the stamps of a message have",
                (
                    "order",
                    "mean, messages",
                    "half of waits, messages",
                    "99 % of waits, messages",
                    "mean, time",
                    "half of waits, time",
                    "99 % of waits, time",
                    "stamp entries",
                ),
                tuple(_length_row(summary, one) for summary in one.orders),
            ),
        ),
    )


def _count_row(summary: Summary) -> tuple[str, ...]:
    return (
        summary.order.value,
        f"{summary.waiting:,}",
        f"{_percent(summary):.1f} %",
        f"{summary.for_ancestor:,}",
        f"{summary.for_own:,}",
        f"{summary.for_unrelated:,}",
        f"{summary.never_delivered:,}",
        f"{summary.before_parent:,}",
        f"{summary.most_held:,}",
    )


def _length_row(summary: Summary, one: SetFigures) -> tuple[str, ...]:
    durations = (
        summary.mean_waited_seconds,
        summary.waiting_p50_seconds,
        summary.waiting_p99_seconds,
    )
    return (
        summary.order.value,
        f"{summary.mean_waited_messages:,.1f}",
        f"{summary.waiting_p50_messages:,}",
        f"{summary.waiting_p99_messages:,}",
        *(_duration(seconds) if one.has_time else "no clock" for seconds in durations),
        f"{summary.stamp_entries_per_message:.1f}",
    )


def _duration(seconds: float) -> str:
    return f"{seconds:,.0f} s" if seconds >= 10 else f"{seconds * 1000:,.0f} ms"


def _longer(figures: WaitingFigures) -> Section:
    chat = next(one for one in figures.sets if one.name == figures.chat)
    return Section(
        "How long chat waits",
        (
            LineChart(
                "waiting-longer",
                f"Messages of {figures.chat} that wait longer than a given time",
                "Delays by the mailing list's law",
                "waits longer than so many seconds",
                "percent of the measured messages",
                one_line_each(
                    _line(
                        summary.order,
                        zip(figures.longer_than_seconds, summary.longer_than_percent, strict=True),
                    )
                    for summary in chat.orders
                ),
                x_scale=Scale.LOGARITHMIC,
            ),
        ),
    )


def one_line_each(lines: Iterable[Line]) -> tuple[Line, ...]:
    """Lines that lie on each other become one with both names and the look of the last."""
    names: dict[tuple[tuple[float, float], ...], list[Line]] = {}
    for line in lines:
        names.setdefault(line.points, []).append(line)
    return tuple(
        Line("; ".join(line.label for line in same), points, same[-1].maybe_series)
        for points, same in names.items()
    )


def _line(order: Order, points: Iterable[tuple[float, float]]) -> Line:
    """A curve with the colour that the order has in every chart of the page."""
    return Line(order.value, tuple(points), list(Order).index(order))


def _sweep(figures: WaitingFigures) -> Section:
    return Section(
        "Against the delay of the network",
        (
            f"The first {figures.sweep_messages:,} measured messages of {figures.chat}, with "
            "exponential delays of a given mean instead of mail's. People write seconds apart, so "
            "that the orders part where the delays reach that.",
            LineChart(
                "waiting-delay",
                f"Messages of {figures.chat} that wait, against the mean delay",
                "Exponential delays",
                "mean delay in seconds",
                "percent of the measured messages",
                one_line_each(
                    _line(
                        order,
                        (
                            (point.mean_delay_seconds, point.waiting_percent[number])
                            for point in figures.sweep
                        ),
                    )
                    for number, order in enumerate(SWEEP_ORDERS)
                ),
                x_scale=Scale.LOGARITHMIC,
            ),
            Table(
                "Percent that wait",
                ("mean delay", *(order.value for order in SWEEP_ORDERS)),
                tuple(
                    (
                        f"{point.mean_delay_seconds:g} s",
                        *(f"{percent:.1f}" for percent in point.waiting_percent),
                    )
                    for point in figures.sweep
                ),
            ),
        ),
    )
