"""Unseen after healing: the faults are over, everything was sent again, and something is missing.

After the network has healed, every endpoint has been given what it lacked. From then on nothing
sound may stay undelivered. Which messages that concerns is worked out from the world's history
alone, by following it from the beginning: a message can be seen when everything that it requires
can be seen; messages in a ring, or hanging from an id that nobody sent, never can.

Example. alice#1:1 was lost on the way to bob and sent again after healing; alice#1:2, which answers
it, had arrived before.

    Held(alice#1:2)  ...healing...  Delivered(1, alice#1:1)      <- unseen: alice#1:2

With a give-up rule nothing at all may be held in the end: what can't be seen was given up on.
"""

from __future__ import annotations

from collections.abc import Iterator

from simulation.checkers.violation import Violation, violation
from simulation.ledger import Ledger
from simulation.options import GiveUp

NAME = "unseen"


def check(ledger: Ledger) -> Iterator[Violation]:
    """Look at what a healed endpoint has not delivered. Called once per endpoint."""
    endpoint = ledger.endpoint
    if not endpoint.healed or not endpoint.steps:
        return
    history = endpoint.history
    last = len(endpoint.steps) - 1
    unseen = can_be_seen(ledger) & ~ledger.delivered
    if unseen:
        sentence = f"all has healed and these are not delivered: {history.names(unseen)}"
        yield violation(NAME, ledger=ledger, step=last, sentence=sentence)
    if endpoint.options.give_up is not GiveUp.HOLD and ledger.held:
        names = ", ".join(history.name(entry.slot) for entry in ledger.held)
        sentence = f"the patience of the group is long over and these are still held: {names}"
        yield violation(NAME, ledger=ledger, step=last, sentence=sentence)


def can_be_seen(ledger: Ledger) -> int:
    """The mask of what must be delivered in the end.

    1. Take the messages that were handed over and that the engine has not refused; whether it had
       the right to refuse is for `lost`.
    2. With give-up `release`, all of them.
    3. Otherwise go through them until nothing is added: a message can be seen if all that it
       awaits can be seen, or counts as arrived by then, and all that it counts was captured.
    """
    first = dict(ledger.first)
    for refusal in ledger.refusals:
        if first.get(refusal.entry.slot) is refusal.entry:
            del first[refusal.entry.slot]
    seen = 0
    if ledger.endpoint.options.give_up is GiveUp.RELEASE:
        for slot in first:
            seen |= 1 << slot
        return seen
    last = len(ledger.endpoint.steps) - 1
    captured = ledger.captured_after[last]
    before = -1
    while before != seen:
        before = seen
        for slot, entry in first.items():
            if seen >> slot & 1 or entry.captures & ~captured:
                continue
            if entry.confirmers and not ledger.confirmations.must_be_known(entry, step=last):
                continue
            missing = entry.awaits & ~seen
            if not missing or not missing & ~ledger.lapsed(entry, step=last):
                seen |= 1 << slot
    return seen
