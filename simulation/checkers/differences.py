"""How two runs of one log differ, in a sentence. Used by the two checkers that compare runs."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum

from ordering.events import Event
from ordering.requirement import UpTo
from ordering.values import MessageId
from simulation.checkers.violation import Violation, violation
from simulation.ledger import Ledger
from simulation.service import Difference


def report(
    checker: str, *, ledger: Ledger, maybe_difference: Difference | None
) -> Iterator[Violation]:
    """What a checker that compares two runs says about the first place where they differ."""
    if maybe_difference is not None:
        yield violation(
            checker,
            ledger=ledger,
            step=maybe_difference.from_offset,
            sentence=explain(maybe_difference),
        )


def explain(difference: Difference) -> str:
    """The first event that differs, on both sides."""
    place = f"offsets {difference.from_offset} to {difference.until_offset - 1}"
    if difference.maybe_fault is not None:
        return f"in {place} the engine raised {difference.maybe_fault}"
    for number, (expected, said) in enumerate(
        zip(difference.expected, difference.said, strict=False)
    ):
        if expected != said:
            return f"in {place}, event {number} is {brief(said)} and was {brief(expected)}"
    return (
        f"in {place} there are {len(difference.said)} events and there were "
        f"{len(difference.expected)}"
    )


def brief(event: Event) -> str:
    """An event without its bytes."""
    kind = type(event).__name__
    parts = []
    for name in event.__match_args__:
        value = getattr(event, name)
        if name == "message":
            parts.append(f"{value.id.sender}:{value.id.seq}")
        elif name == "marks":
            parts += sorted(mark.value for mark in value)
        else:
            parts.append(named(value))
    return f"{kind}({', '.join(parts)})"


def named(value: object) -> str:
    """What an event names, as people write it: `bob#1:2`, `bob#1 captured up to 7`."""
    if isinstance(value, UpTo):
        by = "" if value.by is None else f" by {value.by}"
        return f"{value.sender} {value.measure.value}{by} up to {value.seq}"
    if isinstance(value, MessageId):
        return f"{value.sender}:{value.seq}"
    return str(value.value) if isinstance(value, Enum) else str(value)
