"""How two runs of one log differ, in a sentence. Used by the two checkers that compare runs."""

from __future__ import annotations

from ordering.events import Event
from simulation.service import Difference


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
            parts.append(str(value))
    return f"{kind}({', '.join(parts)})"
