"""An engine at work, and the transcript of everything that was done to it and that it said.

A member's own engine and the service's engine of a group are both endpoints. `simulation.world`
and `simulation.service` feed them; `simulation.ledger` reads the transcript afterwards.

A crash is simulated in full: the engine's snapshot is turned into bytes, the engine is thrown away,
and another is made from the bytes. Nothing but the bytes survives.
"""

from __future__ import annotations

import traceback
from enum import Enum
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from ordering.engine import Engine
from ordering.events import Event
from ordering.policy import GroupPolicy
from ordering.values import Message
from simulation.history import Entry, History
from simulation.options import GroupOptions

TICK: Final = -1
RESTORED: Final = -2
"""What stands in the place of an entry's index in a step that handed no message over."""


class Role(Enum):
    """For whom the engine works."""

    MEMBER = "member"  # one member's own view, fed by the network, moved by the member's clock
    SERVICE = "service"  # the whole group's log, fed by offset, moved by the log's ticks


class Step(NamedTuple):
    """One call: what was handed over, with which `now`, and what the engine said to it."""

    entry_index: int
    now: int
    events: list[Event]
    maybe_message: Message | None = None  # the very copy that was handed over


class Endpoint:
    """One engine and its transcript."""

    def __init__(
        self,
        name: str,
        *,
        role: Role,
        options: GroupOptions,
        policy: GroupPolicy,
        history: History,
    ) -> None:
        self.name = name
        self.role = role
        self.options = options
        self.policy = policy
        self.history = history
        self.engine = Engine(policy)
        self.steps: list[Step] = []
        self.healed = False  # whether everything that it lacked was sent to it again
        self.crashes = 0
        self.maybe_fault: str | None = None  # what the engine raised, its last word
        self.handed: set[int] = set()

    def afresh(self) -> Endpoint:
        """The same place with a fresh engine that was given nothing."""
        return Endpoint(
            self.name,
            role=self.role,
            options=self.options,
            policy=self.policy,
            history=self.history,
        )

    def do(self, step: Step) -> list[Event]:
        """Do a step of another transcript here."""
        if step.entry_index == RESTORED:
            self.crash()
            return []
        if step.maybe_message is None:
            return self.tick(step.now)
        return self.hand_over(step.maybe_message, entry_index=step.entry_index, now=step.now)

    def receive(self, entry: Entry, *, now: int) -> list[Event]:
        """Hand one message over."""
        return self.hand_over(entry.message, entry_index=entry.number, now=now)

    def hand_over(self, message: Message, *, entry_index: int, now: int) -> list[Event]:
        """Hand over one copy of an entry, which may have an origin of its own."""
        if self.maybe_fault is not None:
            return []
        self.handed.add(entry_index)
        try:
            events = self.engine.receive(message, now=now)
        except Exception as fault:
            events = self._fail(fault)
        self.steps.append(Step(entry_index, now, events, message))
        return events

    def tick(self, now: int) -> list[Event]:
        """Let time pass."""
        if self.maybe_fault is not None:
            return []
        try:
            events = self.engine.advance(now)
        except Exception as fault:
            events = self._fail(fault)
        self.steps.append(Step(TICK, now, events))
        return events

    def crash(self) -> None:
        """Lose everything but the snapshot's bytes, and go on from those. No time passes."""
        if self.maybe_fault is not None:
            return
        now = self.steps[-1].now if self.steps else 0
        try:
            self.engine = revive(self.policy, snapshot_bytes(self.engine))
        except Exception as fault:
            self._fail(fault)
        self.steps.append(Step(RESTORED, now, []))
        self.crashes += 1

    def _fail(self, fault: Exception) -> list[Event]:
        self.maybe_fault = describe_fault(fault)
        return []


def describe_fault(fault: Exception) -> str:
    """What was raised and where, in one line."""
    frames = traceback.extract_tb(fault.__traceback__)
    place = f"{Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else "nowhere"
    return f"{type(fault).__name__}: {fault} at {place}"


def snapshot_bytes(engine: Engine) -> bytes:
    """All that survives a crash."""
    return msgspec.msgpack.encode(engine.snapshot())


def revive(policy: GroupPolicy, data: bytes) -> Engine:
    """The engine that goes on after a crash."""
    return Engine.restore(policy, msgspec.msgpack.decode(data))
