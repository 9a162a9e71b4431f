"""Nested transactions over objects: who sends which request when, with which vectors.

Called by `objects_figures`, once per conflict ratio, mix and seed. One run:
  1. every computer runs transactions one after another; a transaction is a thread of level 0;
  2. a thread works for a while, then invokes `fan_out` methods on different objects, either one by
     one (ucast, srec; the next after the response of the one before) or all at once (mcast: the
     same method everywhere, or pcast: a method each; then crec); threads of the last level invoke
     nothing;
  3. it works again, commits and sends its response.

Vectors, as the paper has them: a new thread starts with the greater of its computer's
object vector and that of its request; a send counts `iseq` up and sets the thread's own entry to
(cid, object, iseq), once for all instances of an mcast or pcast; responses are merged when the
receipt completes; the thread's vector is merged into the computer's when it commits.

Compatibility ids: a counter per object, bumped when a thread commits and no other runs. Threads
aren't locked out here, so that it is also bumped when a thread starts that conflicts with a running
one: equal ids still mean compatible threads.

    T on p1:  pcast(book -> hotel, rent -> car)        both carry V[T] = (0, T, 1)
    hotel:    thread starts with V[T] = (0, T, 1), sends pay -> bank with V[hotel] = (0, hotel, 1)
"""

from __future__ import annotations

import heapq
import random
from collections.abc import Callable
from dataclasses import dataclass, field

from simulation.evaluation.objects_world import (
    METHODS,
    NO_ID,
    ConflictTable,
    Id,
    Mix,
    ObjectsWorld,
    Request,
    homes,
)

Action = Callable[[], None]


@dataclass(eq=False)
class _Thread:
    """One method being performed; `waiting` counts responses that the current receipt needs."""

    target: int
    method: int
    level: int
    compatibility_id: int
    vector: list[Id]
    answer: Callable[[_Thread], None]
    sends: int = 0
    waiting: int = 0
    to_invoke: list[int] = field(default_factory=list)
    received: list[list[Id]] = field(default_factory=list)


class ObjectsModel:
    """One run; `run` may be called once."""

    def __init__(
        self, world: ObjectsWorld, conflicts: ConflictTable, mix: Mix, *, seed: int
    ) -> None:
        self._world = world
        self._conflicts = conflicts
        self._mix = mix
        self._random = random.Random(seed)
        self._homes = homes(world)
        self._objects = len(self._homes) - world.computers
        self._vectors = [[NO_ID] * len(self._homes) for _ in range(world.computers)]
        self._clocks = [[0] * world.computers for _ in range(world.computers)]
        self._compatibility = [0] * len(self._homes)
        self._running: list[list[_Thread]] = [[] for _ in self._homes]
        self._last_arrival: dict[tuple[int, int], float] = {}
        self._agenda: list[tuple[float, int, Action]] = []
        self._planned = 0
        self._now = 0.0
        self._requests: list[Request] = []

    def run(self) -> list[Request]:
        """All requests in the order in which they were sent."""
        for computer in range(self._world.initiators):
            remaining = self._world.transactions_per_computer
            self._later(self._world.mean_work, self._transaction(computer, remaining))
        while self._agenda:
            self._now, _, action = heapq.heappop(self._agenda)
            action()
        return self._requests

    def _transaction(self, computer: int, remaining: int) -> Action:
        def begin() -> None:
            def again(_: _Thread) -> None:
                if remaining > 1:
                    self._later(self._world.mean_work, self._transaction(computer, remaining - 1))

            blank = [NO_ID] * len(self._homes)
            self._start(self._objects + computer, 0, level=0, vector=blank, answer=again)

        return begin

    def _start(
        self,
        target: int,
        method: int,
        *,
        level: int,
        vector: list[Id],
        answer: Callable[[_Thread], None],
    ) -> None:
        running = self._running[target]
        if target < self._objects and any(
            self._conflicts.conflict(target, method, other.method) for other in running
        ):
            self._compatibility[target] += 1
        known = self._vectors[self._homes[target]]
        thread = _Thread(
            target,
            method,
            level,
            self._compatibility[target],
            [max(ours, theirs) for ours, theirs in zip(known, vector, strict=True)],
            answer,
        )
        running.append(thread)
        self._later(self._world.mean_work, lambda: self._invoke(thread))

    def _invoke(self, thread: _Thread) -> None:
        if thread.level == self._world.levels:
            self._commit(thread)
            return
        others = [target for target in range(self._objects) if target != thread.target]
        targets = self._random.sample(others, self._world.fan_out)
        if self._random.random() < self._mix.parallel_share:
            self._send_parallel(thread, targets)
        else:
            thread.to_invoke = targets
            self._send_next(thread)

    def _send_parallel(self, thread: _Thread, targets: list[int]) -> None:
        one_method = self._random.randrange(METHODS)
        is_multicast = self._random.random() < 0.5
        self._count_send(thread, waiting=len(targets))
        for target in targets:
            method = one_method if is_multicast else self._random.randrange(METHODS)
            self._send_request(thread, target, method, then=self._commit)

    def _send_next(self, thread: _Thread) -> None:
        if not thread.to_invoke:
            self._commit(thread)
            return
        self._count_send(thread, waiting=1)
        target = thread.to_invoke.pop()
        method = self._random.randrange(METHODS)
        self._send_request(thread, target, method, then=self._send_next)

    def _count_send(self, thread: _Thread, *, waiting: int) -> None:
        thread.sends += 1
        thread.vector[thread.target] = (thread.compatibility_id, thread.target, thread.sends)
        thread.waiting = waiting

    def _send_request(
        self, thread: _Thread, target: int, method: int, *, then: Callable[[_Thread], None]
    ) -> None:
        carried = list(thread.vector)
        computer = self._homes[thread.target]

        def respond(child: _Thread) -> None:
            vector = list(child.vector)
            self._send(child.target, thread.target, lambda: self._receive(thread, vector, then))

        def perform() -> None:
            level = thread.level + 1
            self._start(target, method, level=level, vector=carried, answer=respond)

        clock = self._send(thread.target, target, perform)
        self._requests.append(
            Request(target, method, thread.target, computer, clock, tuple(carried))
        )

    def _receive(self, thread: _Thread, vector: list[Id], then: Callable[[_Thread], None]) -> None:
        """srec and crec: nothing is merged before the receipt is complete."""
        thread.received.append(vector)
        thread.waiting -= 1
        if thread.waiting:
            return
        for received in thread.received:
            _merge(thread.vector, received, but=thread.target)
        thread.received.clear()
        self._later(self._world.mean_work, lambda: then(thread))

    def _commit(self, thread: _Thread) -> None:
        _merge(self._vectors[self._homes[thread.target]], thread.vector, but=None)
        running = self._running[thread.target]
        running.remove(thread)
        if not running:
            self._compatibility[thread.target] += 1
        thread.answer(thread)

    def _send(self, sender: int, receiver: int, on_arrival: Action) -> tuple[int, ...]:
        """Sends at the network: counts in the sender's clock; two computers keep their order."""
        source, sink = self._homes[sender], self._homes[receiver]
        self._clocks[source][source] += 1
        clock = tuple(self._clocks[source])
        delay = self._random.expovariate(1 / self._world.mean_network_delay)
        arrival = max(self._now + delay, self._last_arrival.get((source, sink), 0.0))
        self._last_arrival[source, sink] = arrival

        def arrive() -> None:
            ours = self._clocks[sink]
            for computer, count in enumerate(clock):
                ours[computer] = max(ours[computer], count)
            on_arrival()

        self._plan(arrival, arrive)
        return clock

    def _later(self, mean: float, action: Action) -> None:
        self._plan(self._now + self._random.expovariate(1 / mean), action)

    def _plan(self, at: float, action: Action) -> None:
        self._planned += 1
        heapq.heappush(self._agenda, (at, self._planned, action))


def _merge(into: list[Id], other: list[Id], *, but: int | None) -> None:
    for index, theirs in enumerate(other):
        if index != but and theirs > into[index]:
            into[index] = theirs
