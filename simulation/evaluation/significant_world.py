"""The values of the significant-order evaluation: typed operations, conflicts, and a history.

`significant_model` writes the history, `significant_order` reads from it what precedes what.

A history is, per object, the sequence of its *steps*: it sent or received a message in an instance
of one of its operations. Instances know where in that sequence they began and ended, because one
operation orders another only if it ended before the other began.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from enum import Enum
from itertools import combinations_with_replacement
from typing import NamedTuple

from ordering.stamps import MessageType

OPERATIONS = 4
"""Operations per object, as in the evaluation of the inter-object protocol."""


@dataclass(frozen=True)
class SignificantWorld:
    """Clients call services, services call stores; calls go down only, so nothing deadlocks."""

    clients: int = 6
    services: int = 3
    stores: int = 3
    calls_per_operation: int = 2
    transactions_per_client: int = 4
    mean_work_us: int = 1_000
    mean_network_us: int = 1_000
    mean_capture_us: int = 2_000

    @property
    def layers(self) -> tuple[range, range, range]:
        """The objects of each layer, by number."""
        services_from = self.clients
        stores_from = self.clients + self.services
        return (
            range(services_from),
            range(services_from, stores_from),
            range(stores_from, stores_from + self.stores),
        )


class Operation(NamedTuple):
    """What an operation's request and response carry, and whether it changes its object."""

    has_input: bool
    changes_state: bool
    has_output: bool

    @property
    def request_type(self) -> MessageType:
        """IS, IN, NS or NN."""
        first, second = "NI"[self.has_input], "NS"[self.changes_state]
        return MessageType(first + second)

    @property
    def response_type(self) -> MessageType:
        """O or N."""
        return MessageType.RESPONSE_OUTPUT if self.has_output else MessageType.RESPONSE_PLAIN


class Catalogue(NamedTuple):
    """The operations of every object, and the pairs of them that conflict on it."""

    operations: tuple[tuple[Operation, ...], ...]
    conflicts: tuple[frozenset[tuple[int, int]], ...]

    def conflict(self, target: int, one: int, other: int) -> bool:
        """Do two operations conflict on object `target`? Symmetric."""
        return (min(one, other), max(one, other)) in self.conflicts[target]


def draw_catalogue(
    objects: int, *, state_percent: int, conflict_percent: int, generator: random.Random
) -> Catalogue:
    """Draws per object which operations change state, and which pairs conflict.

    Exactly `state_percent` of the four change state (rounded). A pair in which at least one does
    conflicts with chance `conflict_percent`; two that only read never do. The draws are the same
    for all percentages, so that with one seed a greater share keeps what a smaller one has.
    """
    operations = []
    conflicts = []
    for _ in range(objects):
        by_chance = generator.sample(range(OPERATIONS), OPERATIONS)
        changing = set(by_chance[: round(OPERATIONS * state_percent / 100)])
        operations.append(
            tuple(
                Operation(generator.random() < 0.5, number in changing, generator.random() < 0.5)
                for number in range(OPERATIONS)
            )
        )
        pairs = combinations_with_replacement(range(OPERATIONS), 2)
        drawn = [pair for pair in pairs if generator.random() < conflict_percent / 100]
        conflicts.append(frozenset(pair for pair in drawn if changing.intersection(pair)))
    return Catalogue(tuple(operations), tuple(conflicts))


class StepKind(Enum):
    """Whether the object sent or received."""

    SEND = "send"
    RECEIVE = "receive"


class Step(NamedTuple):
    """One step of an object: it sent or received message `message` in instance `instance`."""

    kind: StepKind
    message: int
    instance: int


@dataclass
class Instance:
    """One performance of an operation; `began` and `maybe_ended` count its object's steps."""

    target: int
    operation: int
    began: int
    request: int | None
    maybe_ended: int | None = None


class CallMessage(NamedTuple):
    """A request or response as sent; `response_to` is the number of its request."""

    sender: int
    receiver: int
    message_type: MessageType
    sent_at: int
    response_to: int | None


@dataclass
class History:
    """All that happened: messages in order of sending, steps per object, instances."""

    messages: list[CallMessage] = field(default_factory=list)
    steps: list[list[Step]] = field(default_factory=list)
    instances: list[Instance] = field(default_factory=list)
