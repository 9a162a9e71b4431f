"""What the Sb paper and the data's own notes state, held against what the engine did.

Called by `waiting_page`. The paper has no numbers; its claims are relations between the orders.
"""

from __future__ import annotations

from simulation.evaluation.agreement import close_to, everywhere
from simulation.evaluation.orders import Order
from simulation.evaluation.page import Check
from simulation.evaluation.records import Kind
from simulation.evaluation.waiting_figures import SetFigures, WaitingFigures

BEFORE_PARENT = {"online-boutique": 20_731, "chord": 276, "reliable-broadcast": 0}
"""Counted by those who published the mapping; only these sets arrive as they were recorded."""

_TIGHTLY_LINKED = (
    " Where it fails, each event names its host's previous one as a parent besides the one that it "
    "heard of: what is missing then is an ancestor of everything that waits, and Sb is the causal "
    "order itself."
)


def all_checks(figures: WaitingFigures) -> tuple[Check, ...]:
    """Every check in reading order."""
    return (
        *_data_checks(figures),
        _only_ancestors(figures),
        _never_longer(figures),
        _parents_first(figures),
        _strangers(figures),
        _all_seen_is_total(figures),
    )


def _data_checks(figures: WaitingFigures) -> tuple[Check, ...]:
    return tuple(
        close_to(
            f"{one.name}: messages that arrive before their parent",
            stated=BEFORE_PARENT[one.name],
            measured=one.arrived_before_parent,
            tolerance=0,
            reason="Counted by the notes beside the data; says that we read it as they did.",
        )
        for one in figures.sets
        if one.name in BEFORE_PARENT and one.messages >= BEFORE_PARENT[one.name]
    )


def _only_ancestors(figures: WaitingFigures) -> Check:
    return everywhere(
        "Sb: no message waits for one that isn't its ancestor",
        stated="all sets",
        cases=[
            (one.name, not one.of(Order.SEMANTIC).for_own + one.of(Order.SEMANTIC).for_unrelated)
            for one in figures.sets
        ],
        reason="The last missing message was an ancestor in every single wait.",
    )


def _never_longer(figures: WaitingFigures) -> Check:
    def holds(one: SetFigures) -> bool:
        means = [
            one.of(order).mean_waited_seconds
            for order in (Order.SEMANTIC, Order.CAUSAL_LINKS, Order.CAUSAL_ALL, Order.TOTAL)
        ]
        return means == sorted(means)

    def reason(failing: list[str]) -> str:
        words = "Each of these orders asks for all that the one before it asks for, and more."
        if any(one.kind is Kind.SPANS for one in figures.sets):
            words += (
                " On spans they are nearly equal: most spans wait for the root of their trace, "
                "which ends last, and no order that keeps parents first can deliver them earlier."
            )
        if failing:
            words += (
                " It fails where messages are never delivered: a chain of sending order knows "
                "nothing of a parent that is in no file, so that total order delivers what the "
                "others hold."
            )
        return words

    return everywhere(
        "Sb waits least, then causal with known links, then all seen, then total (mean wait)",
        stated="all sets",
        cases=[(one.name, holds(one)) for one in figures.sets],
        reason=reason,
    )


def _parents_first(figures: WaitingFigures) -> Check:
    broken = sum(one.of(Order.FIFO).before_parent for one in figures.sets)
    return everywhere(
        "Sb, causal and total order deliver no child before its parent",
        stated="all sets",
        cases=[
            (f"{one.name} {order.value}", one.of(order).before_parent == 0)
            for one in figures.sets
            for order in Order
            if order is not Order.FIFO
        ],
        reason=f"FIFO order does, {broken:,} times in all sets: where it waits less than Sb, it "
        "has given up the meaning for it.",
    )


def _strangers(figures: WaitingFigures) -> Check:
    def words(order: Order) -> str:
        chat = next(one for one in figures.sets if one.name == figures.chat).of(order)
        return (
            f"{order.value} {100 * chat.for_unrelated / chat.waiting:.0f} % of its "
            f"{chat.waiting:,} waits"
            if chat.waiting
            else f"{order.value} none"
        )

    return everywhere(
        "Causal and total order make messages wait for unrelated ones",
        stated="every set where a message waits under total order",
        cases=[
            (one.name, one.of(Order.TOTAL).for_unrelated > 0)
            for one in figures.sets
            if one.of(Order.TOTAL).waiting
        ],
        reason=lambda failing: (
            f"In {figures.chat}, the wait ended with an unrelated message for "
            f"{words(Order.CAUSAL_LINKS)}, {words(Order.CAUSAL_ALL)}, {words(Order.TOTAL)}."
            + (_TIGHTLY_LINKED if failing else "")
        ),
    )


def _all_seen_is_total(figures: WaitingFigures) -> Check:
    return everywhere(
        "A causal protocol whose senders have seen everything is a total order",
        stated="same waits in every set",
        cases=[
            (
                one.name,
                one.of(Order.CAUSAL_ALL).mean_waited_messages
                == one.of(Order.TOTAL).mean_waited_messages,
            )
            for one in figures.sets
        ],
        reason="Our own claim: by that rule every earlier message precedes, which leaves one "
        "sequence. It shows two different requirements of the engine doing the same work.",
    )
