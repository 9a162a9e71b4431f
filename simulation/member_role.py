"""The member role: a member with its own engine per group, its own clock and its own counters.

A member hears what the network brings it, its engine decides what it delivers, and its sender
answers only that. `simulation.world` calls `hear`, `speak`, `tick`, `crash` and `restart`.

In a `total` group a member does not listen to the network: it follows the group's log, at its own
pace, as every consumer does.
"""

from __future__ import annotations

from random import Random

from ordering.events import Delivered, Event
from ordering.policy import GroupPolicy
from ordering.values import MemberId
from simulation.endpoint import Endpoint, Role
from simulation.history import Entry, History
from simulation.options import GroupOptions, Options
from simulation.senders.plain import Habits, Seat, Sender
from simulation.senders.registry import SENDERS
from simulation.service import Log, read_plainly

NAMES = ("alice", "bob", "carol", "dave", "erin", "frank", "grace", "heidi")


class Membership:
    """One member in one group: an endpoint to hear with, a sender to speak with."""

    def __init__(self, endpoint: Endpoint, *, sender: Sender, maybe_log: Log | None) -> None:
        self.endpoint = endpoint
        self.sender = sender
        self._maybe_log = maybe_log
        self._offset = 0

    @property
    def follows_the_log(self) -> bool:
        """Whether deliveries come from the log instead of from the network."""
        return self._maybe_log is not None

    def hear(self, entry: Entry, *, now: int) -> None:
        """A message arrives."""
        self.sender.hear(entry)
        self._note(self.endpoint.receive(entry, now=now), now=now)

    def tick(self, now: int) -> None:
        """Time passes; a follower of the log takes its time from there."""
        if self._maybe_log is None:
            self._note(self.endpoint.tick(now), now=now)
        else:
            self.catch_up()

    def catch_up(self) -> None:
        """Read the log as far as it goes."""
        if self._maybe_log is None:
            return
        done = len(self.endpoint.steps)
        read_plainly(self._maybe_log, endpoint=self.endpoint, from_offset=self._offset)
        self._offset = len(self._maybe_log.records)
        for step in self.endpoint.steps[done:]:
            self._note(step.events, now=step.now)

    def _note(self, events: list[Event], *, now: int) -> None:
        entries = self.endpoint.history.entries
        for event in events:
            if type(event) is Delivered:
                self.sender.note(entries[event.message.origin[0]], now=now)


class Member:
    """One member of the world, in all its groups."""

    def __init__(self, node: int, *, options: Options, rng: Random) -> None:
        self.node = node
        self.name = NAMES[node]
        self.incarnation = 0
        self.skew_us = int((rng.random() * 2 - 1) * options.clock_skew_us)
        self.memberships: list[Membership] = []
        self.past: list[Membership] = []  # of earlier incarnations; judged for safety only
        self._habits = Habits.of(options)
        self._rng = rng

    def clock(self, at: int) -> int:
        """What this member's clock shows."""
        return at + self.skew_us

    def start(
        self,
        groups: tuple[GroupOptions, ...],
        *,
        policies: list[GroupPolicy],
        histories: list[History],
        logs: list[Log],
    ) -> None:
        """Begin, or begin again as the next incarnation, with nothing."""
        self.past += self.memberships
        self.incarnation += 1
        self.memberships = [
            self._join(group, policy=policy, history=history, log=log)
            for group, policy, history, log in zip(groups, policies, histories, logs, strict=True)
        ]

    def _join(
        self, group: GroupOptions, *, policy: GroupPolicy, history: History, log: Log
    ) -> Membership:
        member = MemberId(f"{self.name}#{self.incarnation}")
        endpoint = Endpoint(member, role=Role.MEMBER, options=group, policy=policy, history=history)
        sender = SENDERS[group.discipline](Seat(member, group, history, self._habits, self._rng))
        follows = group.discipline == "total"
        return Membership(endpoint, sender=sender, maybe_log=log if follows else None)
