"""Clients, services and stores that call each other: writes the history that is then ordered.

Called by `significant_figures`, once per point and seed. One run:
  1. every client performs transactions one after another: an operation of its own that calls
     services one by one, waiting for each response;
  2. a service's operation calls stores in the same way; a store's operation calls nobody;
  3. an object performs an operation at once unless it conflicts with one being performed or
     waiting there: then it waits its turn, so that of two that conflict one ends before the other
     begins;
  4. work and network delays are exponential; messages from one object to another keep their order.

    client         service          store
    begin
    request ------> begin
                    request ------> begin
                                    work, end
                    <------ response
                    end
    <------ response
"""

from __future__ import annotations

import heapq
import random
from collections.abc import Callable
from typing import NamedTuple

from simulation.evaluation.significant_world import (
    OPERATIONS,
    CallMessage,
    Catalogue,
    History,
    Instance,
    SignificantWorld,
    Step,
    StepKind,
)

Action = Callable[[], None]


class _Waiting(NamedTuple):
    """An operation in an object's queue, and what to do with its instance once it may begin."""

    operation: int
    begin: Callable[[], None]


class SignificantModel:
    """One run; `run` may be called once."""

    def __init__(self, world: SignificantWorld, catalogue: Catalogue, *, seed: int) -> None:
        objects = world.layers[-1].stop
        self._world = world
        self._catalogue = catalogue
        self._random = random.Random(seed)
        self._now = 0
        self._agenda: list[tuple[int, int, Action]] = []
        self._planned = 0
        self._last_arrival: dict[tuple[int, int], int] = {}
        self._last_sent_at = [0] * objects
        self._performing: list[list[int]] = [[] for _ in range(objects)]
        self._queues: list[list[_Waiting]] = [[] for _ in range(objects)]
        self._history = History(steps=[[] for _ in range(objects)])

    def run(self) -> History:
        """The whole history."""
        for client in self._world.layers[0]:
            self._later(
                self._world.mean_work_us,
                self._transaction(client, self._world.transactions_per_client),
            )
        while self._agenda:
            self._now, _, action = heapq.heappop(self._agenda)
            action()
        return self._history

    def _transaction(self, client: int, remaining: int) -> Action:
        def after(_: int) -> None:
            if remaining > 1:
                self._later(self._world.mean_work_us, self._transaction(client, remaining - 1))

        def start() -> None:
            operation = self._random.randrange(OPERATIONS)
            self._ask(client, operation, request=None, layer=0, after=after)

        return start

    def _ask(
        self,
        target: int,
        operation: int,
        *,
        request: int | None,
        layer: int,
        after: Callable[[int], None],
    ) -> None:
        """Performs the operation now, or queues it behind what it conflicts with."""

        def begin() -> None:
            number = len(self._history.instances)
            began = len(self._history.steps[target])
            self._history.instances.append(Instance(target, operation, began, request))
            self._performing[target].append(number)
            if request is not None:
                self._step(target, StepKind.RECEIVE, request, number)
            calls = self._world.calls_per_operation if layer < 2 else 0
            self._later(
                self._world.mean_work_us, lambda: self._call_next(number, layer, calls, after)
            )

        self._queues[target].append(_Waiting(operation, begin))
        self._serve(target)

    def _serve(self, target: int) -> None:
        """Begins whatever in the queue conflicts with nothing performed and nothing before it."""
        ahead = [self._history.instances[n].operation for n in self._performing[target]]
        still_waiting = []
        ready = []
        for waiting in self._queues[target]:
            if any(self._catalogue.conflict(target, waiting.operation, other) for other in ahead):
                still_waiting.append(waiting)
            else:
                ready.append(waiting)
            ahead.append(waiting.operation)
        self._queues[target] = still_waiting
        for waiting in ready:
            waiting.begin()

    def _call_next(
        self, instance: int, layer: int, remaining: int, after: Callable[[int], None]
    ) -> None:
        if not remaining:
            self._end(instance, after)
            return
        caller = self._history.instances[instance].target
        target = self._random.choice(self._world.layers[layer + 1])
        operation = self._random.randrange(OPERATIONS)
        kind = self._catalogue.operations[target][operation].request_type
        request = self._record(CallMessage(caller, target, kind, self._now, None), instance)

        def respond(callee: int) -> None:
            output = self._catalogue.operations[target][operation].response_type
            message = CallMessage(target, caller, output, self._now, request)
            response = self._record(message, callee)
            self._deliver(response, lambda: receive(response))

        def receive(response: int) -> None:
            self._step(caller, StepKind.RECEIVE, response, instance)
            self._later(
                self._world.mean_work_us,
                lambda: self._call_next(instance, layer, remaining - 1, after),
            )

        self._deliver(
            request,
            lambda: self._ask(target, operation, request=request, layer=layer + 1, after=respond),
        )

    def _end(self, instance: int, after: Callable[[int], None]) -> None:
        after(instance)
        ended = self._history.instances[instance]
        ended.maybe_ended = len(self._history.steps[ended.target])
        self._performing[ended.target].remove(instance)
        self._serve(ended.target)

    def _record(self, message: CallMessage, instance: int) -> int:
        """Takes down a send; an object never sends two messages at one instant."""
        number = len(self._history.messages)
        sent_at = max(message.sent_at, self._last_sent_at[message.sender] + 1)
        self._last_sent_at[message.sender] = sent_at
        self._history.messages.append(message._replace(sent_at=sent_at))
        self._step(message.sender, StepKind.SEND, number, instance)
        return number

    def _step(self, target: int, kind: StepKind, message: int, instance: int) -> None:
        self._history.steps[target].append(Step(kind, message, instance))

    def _deliver(self, message: int, on_arrival: Action) -> None:
        sent = self._history.messages[message]
        way = (sent.sender, sent.receiver)
        arrival = max(
            self._now + self._draw(self._world.mean_network_us), self._last_arrival.get(way, 0)
        )
        self._last_arrival[way] = arrival
        self._plan(arrival, on_arrival)

    def _draw(self, mean_us: int) -> int:
        return 1 + round(self._random.expovariate(1 / mean_us))

    def _later(self, mean_us: int, action: Action) -> None:
        self._plan(self._now + self._draw(mean_us), action)

    def _plan(self, at: int, action: Action) -> None:
        self._planned += 1
        heapq.heappush(self._agenda, (at, self._planned, action))
