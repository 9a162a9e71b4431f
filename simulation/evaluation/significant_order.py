"""What precedes what in a history: by full causal order, and by the tables of significant order.

`significant_figures` calls it. Both relations are sets of earlier messages per message, kept as
the bits of one integer (message n is bit n), so that closing them over hundreds of messages is
cheap.

- Causal: all that the sender had sent or received before, and all that precedes that.
- Significant, direct: of what the sender had sent or received before, what the tables name, given
  both types and whether the two instances are one, or conflict and one ended before the other
  began. Closed over itself it is the significant precedence.

At a common receiver two messages of different instances are ordered only if those conflict there,
and two responses without data never: a *needed* pair is significant, has a common receiver, and
passes that.

    client: read x (NN), then read y (NN)      causal: x before y     significant: only x's request
    one instance, requests carry no data       before its response    before its response
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ordering.disciplines.significant_tables import (
    RECEIVE_SEND,
    RECEIVE_SEND_APART,
    SEND_SEND,
    is_ordered,
    is_received_in_order,
)
from simulation.evaluation.significant_world import Catalogue, History, Step, StepKind


class Relations(NamedTuple):
    """Per message, as bits: what precedes causally; significantly, directly; significantly."""

    causal: list[int]
    direct: list[int]
    significant: list[int]


class PairCounts(NamedTuple):
    """Pairs with a common receiver: causally ordered, and those of them that need ordering."""

    causal: int
    needed: int


def relate(history: History, catalogue: Catalogue) -> Relations:
    """Both relations for every message of the history."""
    count = len(history.messages)
    direct = [0] * count
    for target, steps in enumerate(history.steps):
        for place, step in enumerate(steps):
            if step.kind is StepKind.SEND:
                for earlier in steps[:place]:
                    if _precedes(history, catalogue, target, earlier, step):
                        direct[step.message] |= 1 << earlier.message
    significant = [0] * count
    for number in range(count):
        significant[number] = direct[number]
        for preceding in bits(direct[number]):
            significant[number] |= significant[preceding]
    return Relations(_causal(history), direct, significant)


def _causal(history: History) -> list[int]:
    """Walks messages in order of sending; an object knows all that it sent and received so far."""
    before: list[int] = [0] * len(history.messages)
    known = [0] * len(history.steps)
    places = [0] * len(history.steps)
    for number, message in enumerate(history.messages):
        sender = message.sender
        steps = history.steps[sender]
        while True:
            step = steps[places[sender]]
            places[sender] += 1
            if step.kind is StepKind.SEND and step.message == number:
                break
            known[sender] |= before[step.message] | 1 << step.message
        before[number] = known[sender]
        known[sender] |= 1 << number
    return before


def _precedes(
    history: History, catalogue: Catalogue, target: int, earlier: Step, later: Step
) -> bool:
    """Do the tables order what `target` sent or received at `earlier` before the send `later`?"""
    first, second = history.instances[earlier.instance], history.instances[later.instance]
    types = (
        history.messages[earlier.message].message_type,
        history.messages[later.message].message_type,
    )
    is_pair = history.messages[later.message].response_to == earlier.message
    if earlier.instance == later.instance:
        return earlier.kind is StepKind.SEND or is_ordered(
            RECEIVE_SEND, *types, is_request_and_response=is_pair
        )
    ended_first = first.maybe_ended is not None and first.maybe_ended <= second.began
    if not ended_first or not catalogue.conflict(target, first.operation, second.operation):
        return False
    table = SEND_SEND if earlier.kind is StepKind.SEND else RECEIVE_SEND_APART
    return is_ordered(table, *types, is_request_and_response=is_pair)


def count_pairs(history: History, catalogue: Catalogue, relations: Relations) -> PairCounts:
    """Counts over all pairs that have a common receiver."""
    received_in = {
        step.message: step.instance
        for steps in history.steps
        for step in steps
        if step.kind is StepKind.RECEIVE
    }
    by_receiver: dict[int, int] = {}
    for number, message in enumerate(history.messages):
        by_receiver[message.receiver] = by_receiver.get(message.receiver, 0) | 1 << number
    causal = 0
    needed = 0
    for number, message in enumerate(history.messages):
        to_same = by_receiver[message.receiver]
        causal += (relations.causal[number] & to_same).bit_count()
        for earlier in bits(relations.significant[number] & to_same):
            instances = (received_in[earlier], received_in[number])
            needed += _is_needed(history, catalogue, (earlier, number), instances)
    return PairCounts(causal, needed)


def _is_needed(
    history: History, catalogue: Catalogue, pair: tuple[int, int], instances: tuple[int, int]
) -> bool:
    types = (history.messages[pair[0]].message_type, history.messages[pair[1]].message_type)
    first, second = (history.instances[number] for number in instances)
    return is_received_in_order(
        *types,
        is_same_instance=instances[0] == instances[1],
        is_conflicting=catalogue.conflict(first.target, first.operation, second.operation),
    )


def bits(number: int) -> Iterator[int]:
    """The positions of the ones in `number`, from the lowest."""
    while number:
        lowest = number & -number
        yield lowest.bit_length() - 1
        number ^= lowest
