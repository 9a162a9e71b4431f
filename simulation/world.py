"""One seeded world: members that talk, a network that fails, edges that capture, then healing.

`simulation.run` makes a world from options and calls `run()`; afterwards every endpoint has a
transcript for the checkers. Nothing in here reads a clock or a source of chance that is not
derived from the seed, so the same options give the same world, byte for byte.

1. Safety phase: everything that is planned (sends, attacks, restarts, crashes, ticks) happens in
   the order of its instant, with all faults on, until nothing is on its way any more.
2. Liveness phase: the network heals. Every message that an endpoint never got is sent to it again,
   in any order, except those that the options let vanish for good. Then time passes, long enough
   for every give-up rule to have its say.

What is planned is a heap of (instant, tie-breaker, action, arrival); each plan has one of the last
two.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from heapq import heappop, heappush
from typing import Final, NamedTuple

from ordering.values import MemberId
from simulation.endpoint import Endpoint, Role
from simulation.history import Entry, History
from simulation.hostile import HeardBy, HostileSender
from simulation.member_role import Member
from simulation.network import Network, stream
from simulation.options import SEND_INTERVAL_US, START_AT, Hostility, Options
from simulation.policies import policy_of
from simulation.service import Log, read_plainly

HOSTILE_MEMBER: Final = MemberId("mallory#1")

TICKS_AFTER_HEALING: Final = 8
"""A message waits for one thing at a time, so it may be given up on once per thing it waits for:
this many spells of the give-up time are more than any message of a world has to wait for."""


class Arrival(NamedTuple):
    """A message that reaches a node."""

    node: int
    group: int
    entry: Entry


Action = Callable[[int], None]


class World:
    """Everything there is in one seeded world."""

    def __init__(self, options: Options) -> None:
        self.options = options
        self.histories = [History() for _ in options.groups]
        self.policies = [policy_of(group, options=options) for group in options.groups]
        self.logs = [Log() for _ in options.groups]
        self.services: list[Endpoint] = []
        self.members = [
            Member(node, options=options, rng=stream(options.seed, number=20 + node))
            for node in range(options.members)
        ]
        self._rng = stream(options.seed, number=10)
        self._edges = range(options.members, options.members + options.edges)
        self._hostile_node = options.members + options.edges
        self._lasts_us = options.messages * SEND_INTERVAL_US
        self._network = Network(options, nodes=self._hostile_node + 1, lasts_us=self._lasts_us)
        self._plans: list[tuple[int, int, Action | None, Arrival | None]] = []
        self._planned = 0
        self._ends_at = START_AT
        self._hostile_senders = [
            HostileSender(
                HOSTILE_MEMBER,
                group=group,
                history=history,
                limits=policy.limits,
                rng=stream(options.seed, number=11),
            )
            for group, history, policy in zip(
                options.groups, self.histories, self.policies, strict=True
            )
        ]

    def run(self) -> None:
        """Both phases. Called once."""
        for member in self.members:
            self._start(member)
        self._plan_everything()
        self._play()
        self._network.heal()
        self._heal()
        for group, log in enumerate(self.logs):
            service = self._endpoint("service", group=group, role=Role.SERVICE)
            read_plainly(log, endpoint=service)
            service.healed = True
            self.services.append(service)

    def endpoints(self) -> list[Endpoint]:
        """Every endpoint that there was, the members' first."""
        memberships = [
            membership for member in self.members for membership in member.past + member.memberships
        ]
        return [membership.endpoint for membership in memberships] + self.services

    # What is planned for the safety phase.

    def _plan_everything(self) -> None:
        options = self.options
        rng = self._rng
        at = START_AT
        for _ in range(options.messages):
            at += int(rng.expovariate(1.0) * SEND_INTERVAL_US)
            self._plan(at, self._speak)
        lasts_us = at - START_AT
        for kind in options.hostile:
            self._plan(START_AT + int(rng.random() * lasts_us), partial(self._attack, kind=kind))
        for _ in range(options.restarts):
            self._plan(START_AT + int(rng.random() * lasts_us), self._restart)
        for _ in range(options.member_crashes):
            self._plan(START_AT + int(rng.random() * lasts_us), self._crash)
        for tick_at in range(START_AT, at + options.tick_every_us, options.tick_every_us):
            self._plan(tick_at, self._tick)

    def _plan(self, at: int, action: Action) -> None:
        self._planned += 1
        heappush(self._plans, (at, self._planned, action, None))

    def _play(self) -> None:
        """Let everything happen that is planned, and what that leads to."""
        plans = self._plans
        while plans:
            at, _, maybe_action, maybe_arrival = heappop(plans)
            if maybe_arrival is not None:
                self._arrive(maybe_arrival, at=at)
            elif maybe_action is not None:
                maybe_action(at)
            self._ends_at = at

    # What happens.

    def _speak(self, at: int) -> None:
        member = self.members[int(self._rng.random() * len(self.members))]
        group = int(self._rng.random() * len(self.histories))
        membership = member.memberships[group]
        membership.catch_up()
        now = member.clock(at)
        entry = membership.sender.make(now=now)
        if not membership.follows_the_log:
            membership.hear(entry, now=now)
        self._multicast(entry, source=member.node, group=group, at=at)

    def _attack(self, at: int, *, kind: Hostility) -> None:
        group = int(self._rng.random() * len(self.histories))
        for attack in self._hostile_senders[group].attack(kind, now=at):
            self._multicast(
                attack.entry,
                source=self._hostile_node,
                group=group,
                at=at,
                heard_by=attack.heard_by,
            )

    def _multicast(
        self,
        entry: Entry,
        *,
        source: int,
        group: int,
        at: int,
        heard_by: HeardBy = HeardBy.ALL,
    ) -> None:
        for node in range(self._hostile_node):
            if node == source or not heard_by.includes(node):
                continue
            for arrives_at in self._network.carry(source, destination=node, sent_at=at):
                self._planned += 1
                arrival = Arrival(node, group, entry)
                heappush(self._plans, (arrives_at, self._planned, None, arrival))

    def _arrive(self, arrival: Arrival, *, at: int) -> None:
        if arrival.node in self._edges:
            self.logs[arrival.group].append(arrival.entry)
            return
        member = self.members[arrival.node]
        membership = member.memberships[arrival.group]
        if not membership.follows_the_log:
            membership.hear(arrival.entry, now=member.clock(at))

    def _tick(self, at: int) -> None:
        for log in self.logs:
            log.tick(at)
        for member in self.members:
            for membership in member.memberships:
                membership.tick(member.clock(at))

    def _restart(self, at: int) -> None:
        del at
        self._start(self.members[int(self._rng.random() * len(self.members))])

    def _crash(self, at: int) -> None:
        del at
        member = self.members[int(self._rng.random() * len(self.members))]
        for membership in member.memberships:
            membership.endpoint.crash()

    def _start(self, member: Member) -> None:
        member.start(
            self.options.groups,
            policies=self.policies,
            histories=self.histories,
            logs=self.logs,
        )

    def _endpoint(self, name: str, *, group: int, role: Role) -> Endpoint:
        return Endpoint(
            name,
            role=role,
            options=self.options.groups[group],
            policy=self.policies[group],
            history=self.histories[group],
        )

    # The liveness phase.

    def _heal(self) -> None:
        """Send again what an endpoint never got, then let time pass."""
        at = self._ends_at + SEND_INTERVAL_US
        for group, history in enumerate(self.histories):
            again = self._sent_again(group)
            for node in (self._edges[0], *range(self.options.members)):
                got = self._got(node, group=group)
                lacking = [index for index in again if index not in got]
                self._rng.shuffle(lacking)
                for index in lacking:
                    self._arrive(Arrival(node, group, history.entries[index]), at=at)
        for number in range(TICKS_AFTER_HEALING):
            longest_us = max(group.longest_wait_us for group in self.options.groups)
            self._tick(at + (number + 1) * (longest_us + SEND_INTERVAL_US))
        for member in self.members:
            for membership in member.memberships:
                membership.endpoint.healed = True

    def _got(self, node: int, *, group: int) -> set[int]:
        if node in self._edges:
            return self.logs[group].captured
        return self.members[node].memberships[group].endpoint.handed

    def _sent_again(self, group: int) -> list[int]:
        """What is sent again: what honest members sent, and what they delivered and can pass on."""
        rng = self._rng
        passed_on = {
            entry.number
            for member in self.members
            for entry in member.memberships[group].sender.delivered
        }
        return [
            entry.number
            for entry in self.histories[group].entries
            if (entry.maybe_hostility is None or entry.number in passed_on)
            and rng.random() >= self.options.vanished
        ]
