"""Out of order: a message is delivered before something that it requires.

What it requires is the definition of the group's order (`simulation.definitions`), worked out by
the world from who sent what after seeing what.

Example, semantic order. bob#1:1 answers alice#1:1.

    Delivered(1, bob#1:1)          <- out of order: alice#1:1 is not delivered yet
    Delivered(2, alice#1:1)

A group that releases may do this, but only when its patience is over, and it has to say so: the
message is marked `parent_missing`, and what was missing is marked `late` when it comes after all.
A mark without that cause is a violation too.

Between objects a message comes after what was captured. Of a ring that was captured and quarantined
nothing is left to come after, so that another copy of one of its messages may be delivered.

In the two semantic orders what one delivery frees follows it at once, depth first:

    alice#1:1 <- bob#1:1 <- carol#1:1            right:  a1, b1, c1, d1
              <- dave#1:1                        wrong:  a1, b1, d1, c1
"""

from __future__ import annotations

from collections.abc import Iterator

from ordering.events import Mark
from simulation.checkers.violation import Violation, violation
from simulation.definitions.plain import BY_ID, BY_PARENT
from simulation.ledger import Delivery, Ledger
from simulation.options import GiveUp
from simulation.patience import Patience
from simulation.policies import is_forgetful

NAME = "out_of_order"


def check(ledger: Ledger) -> Iterator[Violation]:
    """Compare every delivery with what it requires. Called once per endpoint."""
    history = ledger.endpoint.history
    patience = Patience(ledger)
    gives_up = ledger.endpoint.options.give_up is not GiveUp.HOLD
    left_out = 0  # what something was delivered without
    marked = 0  # what was delivered without something, or late
    for delivery in ledger.deliveries:
        entry = delivery.entry
        missing = entry.requires & ~delivery.before
        if missing:
            missing &= ~ledger.lapsed(entry, step=delivery.step)
            missing &= ~ledger.retired(missing, step=delivery.step)
        if missing and entry.captures:
            missing &= ~ledger.refused_as_ring(before_step=delivery.step)
        if missing and not _let_go(delivery, missing, ledger=ledger, patience=patience):
            sentence = f"{history.name(entry.slot)} is delivered before {history.names(missing)}"
            yield violation(NAME, ledger=ledger, step=delivery.step, sentence=sentence)
        if entry.confirmers and not _is_confirmed(delivery, ledger=ledger):
            sentence = (
                f"{history.name(entry.slot)} is delivered although not all of "
                f"{', '.join(entry.confirmers)} are known to have it"
            )
            yield violation(NAME, ledger=ledger, step=delivery.step, sentence=sentence)
        if gives_up or delivery.marks:
            expected, allowed = _marks(
                delivery, ledger=ledger, patience=patience, left_out=left_out, marked=marked
            )
            if not expected <= delivery.marks <= allowed:
                said = ", ".join(sorted(mark.value for mark in delivery.marks)) or "nothing"
                right = ", ".join(sorted(mark.value for mark in expected)) or "nothing"
                sentence = f"{history.name(entry.slot)} is marked {said} and should be {right}"
                yield violation(NAME, ledger=ledger, step=delivery.step, sentence=sentence)
            if delivery.marks:
                marked |= 1 << entry.slot
        left_out |= entry.names & ~delivery.before
    if ledger.endpoint.options.discipline in BY_PARENT:
        yield from _depth_first(ledger)


def _let_go(delivery: Delivery, missing: int, *, ledger: Ledger, patience: Patience) -> bool:
    """Whether the group's rule allowed this delivery without what is missing.

    The group must be one that releases, and everything missing waited for long enough.
    """
    if ledger.endpoint.options.give_up is not GiveUp.RELEASE:
        return False
    return patience.over(missing, step=delivery.step)


def _is_confirmed(delivery: Delivery, *, ledger: Ledger) -> bool:
    """Whether everyone the message is for was known to have it, or was waited for long enough."""
    step = delivery.step
    entry = delivery.entry
    asked = tuple(one for one in entry.confirmers if not ledger.is_retired(one, step=step))
    if ledger.confirmations.could_be_known(entry._replace(confirmers=asked), step=step):
        return True
    options = ledger.endpoint.options
    waited_us = ledger.waited_us(entry, step=delivery.step)
    return options.give_up is GiveUp.RELEASE and waited_us >= options.give_up_after_us


def _marks(
    delivery: Delivery, *, ledger: Ledger, patience: Patience, left_out: int, marked: int
) -> tuple[set[Mark], set[Mark]]:
    """Which marks a delivery must have, and which it may have.

    What was released together with the orphan that it hangs from may carry the orphan's mark, and
    so may what once waited for something that came late. What was waited for long enough may be
    late even if all that waited for it wait for more.
    """
    expected = set()
    allowed = set()
    slot = delivery.entry.slot
    missing = delivery.entry.names & ~delivery.before
    lapsed = ledger.lapsed(delivery.entry, step=delivery.step) if missing else 0
    if missing & ~lapsed and not ledger.retired(missing, step=delivery.step):
        expected.add(Mark.PARENT_MISSING)
    elif (
        (delivery.entry.awaits | delivery.entry.captures) & (marked | ~delivery.before)
        or delivery.entry.confirmers
        or ledger.endpoint.options.discipline not in BY_ID
    ):
        allowed.add(Mark.PARENT_MISSING)
    if left_out >> slot & 1 and _knows_late(ledger):
        expected.add(Mark.LATE)
    elif (
        left_out >> slot & 1
        or patience.over(1 << slot, step=delivery.step)
        or ledger.gave_up_on(slot, before_step=delivery.step)
    ):
        allowed.add(Mark.LATE)
    return expected, expected | allowed


def _knows_late(ledger: Ledger) -> bool:
    """Whether the engine can tell by an id that it was given up on.

    A forgetful one can't, nor can an order that gives up on instants or on vectors.
    """
    by_id = ledger.endpoint.options.discipline in BY_ID
    return by_id and not is_forgetful(ledger.endpoint.policy)


def _depth_first(ledger: Ledger) -> Iterator[Violation]:
    """Whether what was freed in one step follows what freed it, depth first.

    1. What may have freed a message is what it requires and was delivered in this step.
    2. Keep the way from the first delivery of the step down to the newest (the path).
    3. The next delivery must have been freed by something on the path; go back up to it.
    4. Those that one message alone frees follow it in the order in which they came to be held.

    A message that was handed over in this very step, or that is released, was freed by nothing.
    """
    history = ledger.endpoint.history
    step = -1
    path: list[int] = []
    newest_below: dict[int, int] = {}  # slot -> since when the last that it freed had been held
    in_step = 0
    for delivery in ledger.deliveries:
        if delivery.step != step:
            step, path, newest_below, in_step = delivery.step, [], {}, 0
        entry = delivery.entry
        freeing = entry.requires & in_step
        maybe_held_since = ledger.freed.get((step, entry.number))
        if not freeing:
            path.clear()
        elif maybe_held_since is not None and not entry.requires & ~delivery.before:
            while path and not freeing >> path[-1] & 1:
                path.pop()
            in_turn = not path or newest_below.get(path[-1], -1) <= maybe_held_since
            if not path or (freeing == entry.requires == 1 << path[-1] and not in_turn):
                name, above = history.name(entry.slot), history.names(freeing)
                sentence = f"{name} does not follow {above}, which freed it, depth first in turn"
                yield violation(NAME, ledger=ledger, step=step, sentence=sentence)
            elif freeing == entry.requires == 1 << path[-1]:
                newest_below[path[-1]] = maybe_held_since
        path.append(entry.slot)
        in_step |= 1 << entry.slot
