"""One seeded population: members that talk over a bad ether, come, go, crash and return; then rest.

Nothing in here reads a clock or a chance that is not derived from the seed: the same options give
the same world, byte for byte. The members are whole `GroupManager`s; only the ether is simulated.

1. Talk, with all faults on.
2. The partitions heal and everybody falls silent, while loss and delay go on.
3. The ether clears. Time passes until all agree, or for so long that they should have.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from heapq import heappop, heappush
from typing import Final

from ingest.wire.envelope import Kind
from members.events import Delivered, Effects
from members.limits import engine_limits
from members.membership import Membership
from ordering import runs as run
from ordering.policy import Acceptance, GroupPolicy
from ordering.values import MemberId, MessageId
from simulation.network import stream
from simulation.populations.ether import Ether
from simulation.populations.hostile import Stranger
from simulation.populations.ledger import Ledger
from simulation.populations.node import GROUP, Life, Node
from simulation.populations.options import SECOND, START_AT, Newcomer, PopulationOptions

SILENCE_US: Final = 10 * SECOND
"""How long loss goes on after the last word."""

PATIENCE_US: Final = 400 * SECOND
"""How long after that all must agree: several of the longest intervals at which members tell what
they have."""

LOOK_EVERY_US: Final = SECOND

KIND_AT: Final = 5
SYNCHRONISATION: Final = bytes([Kind.SYNCHRONISATION])
"""Where an envelope says its kind, and what it says if it is about synchronisation."""

Action = Callable[[int], None]


class Population:
    """Everything there is in one world."""

    def __init__(self, options: PopulationOptions) -> None:
        self.options = options
        self.policy = GroupPolicy(
            discipline=options.discipline,
            acceptance=Acceptance(options.acceptance),
            limits=engine_limits(),
        )
        self.ledger = Ledger(self.policy)
        count = options.members + len(options.newcomers)
        self.nodes = [Node(number, seed=options.seed * 64 + number) for number in range(count)]
        self.ends_at = START_AT
        self.stranger = Stranger(stream(options.seed, number=4))
        self._rng = stream(options.seed, number=3)
        self._lasts_us = options.messages * options.interval_us
        self._ether = Ether(options, nodes=count, lasts_us=self._lasts_us)
        self._plans: list[tuple[int, int, Action]] = []
        self._planned = 0
        self._words = 0
        self._is_up = [False] * count
        self.unconfirmed: list[tuple[str, MessageId, MemberId]] = []
        """(who delivered, what, who did not have it then)"""
        self.came_by_answer = 0
        """messages that a member received in a page, because their own datagram did not come"""

    def run(self) -> None:
        """All phases. Called once."""
        self._plan_everything()
        talk_ends_at = START_AT + self._lasts_us * 2 + SECOND
        self._play(until_at=talk_ends_at)
        self._ether.still()
        self._play(until_at=talk_ends_at + SILENCE_US)
        self._ether.clear()
        at = talk_ends_at + SILENCE_US
        while at < talk_ends_at + SILENCE_US + PATIENCE_US and not self._agree():
            at += LOOK_EVERY_US
            self._play(until_at=at)
        self.ends_at = at

    def living(self) -> list[Node]:
        """The nodes that are up and in the group."""
        return [node for node in self.nodes if self._is_up[node.number] and node.life.is_member]

    def _agree(self) -> bool:
        """Whether nothing is left to be said: nobody lacks what somebody has."""
        memberships = [node.life.manager.memberships[GROUP] for node in self.living()]
        if len({one.group.digest() for one in memberships}) > 1:
            return False
        if any(one.asking.is_joining or _is_waiting(one) for one in memberships):
            return False
        held = {_holdings_of(node.life) for node in self.whole()}
        if len(held) > 1:
            return False
        there = {(pid, runs) for one in held for pid, runs in one}
        exists = {pid: list(runs) for pid, runs in there}
        return not any(
            run.subtract(runs, run.subtract(runs, exists.get(pid, [])))
            for one in memberships
            for pid, runs in one.holdings.lacking().items()
        )

    def whole(self) -> list[Node]:
        """The living nodes that want everything."""
        return [node for node in self.living() if node.life.newcomer is Newcomer.ALL]

    # What is planned.

    def _plan_everything(self) -> None:
        options, rng = self.options, self._rng
        lasts_us = self._lasts_us
        self._plan(START_AT, partial(self._begin, self.nodes[0], Newcomer.ALL))
        for node in self.nodes[1 : options.members]:
            at = START_AT + 1 + int(rng.random() * lasts_us / 10)
            self._plan(at, partial(self._begin, node, Newcomer.ALL))
        for node, newcomer in zip(self.nodes[options.members :], options.newcomers, strict=True):
            at = START_AT + int((0.2 + rng.random() * 0.8) * lasts_us)
            self._plan(at, partial(self._begin, node, newcomer))
        at = START_AT + lasts_us // 20
        for _ in range(options.messages):
            at += int(rng.expovariate(1.0) * options.interval_us)
            self._plan(at, self._speak)
        for _ in range(options.crashes):
            self._plan(START_AT + int(rng.random() * lasts_us), self._crash)
        for _ in range(options.leaves):
            self._plan(START_AT + int(rng.random() * lasts_us), self._leave)
        for _ in range(options.hostile):
            self._plan(START_AT + int(rng.random() * lasts_us), self._attack)
        if options.flood:
            self._plan(START_AT + int(rng.random() * lasts_us), self._flood)

    def _plan(self, at: int, action: Action) -> None:
        self._planned += 1
        heappush(self._plans, (at, self._planned, action))

    def _play(self, *, until_at: int) -> None:
        plans = self._plans
        while plans and plans[0][0] <= until_at:
            at, _, action = heappop(plans)
            action(at)

    # What happens.

    def _begin(self, node: Node, newcomer: Newcomer, at: int) -> None:
        """Start a node's process and let it enter the group."""
        is_first = node.number == 0 and not node.lives
        is_amnesiac = bool(node.lives) and self._rng.random() < self.options.amnesia
        node.start(newcomer=newcomer, is_amnesiac=is_amnesiac, now=at)
        self._is_up[node.number] = True
        self._enter(node, is_first=is_first, at=at)

    def _enter(self, node: Node, *, is_first: bool, at: int) -> None:
        if is_first:
            effects = node.create(self.policy, now=at)
        else:
            effects = node.join(self.policy, root=self._some_root(), now=at)
        self._perform(node, effects, at=at)

    def _some_root(self) -> MessageId | None:
        roots = [said.id for said in self.ledger.said.values() if not said.parents]
        return roots[int(self._rng.random() * len(roots))] if roots else None

    def _speak(self, at: int) -> None:
        living = self.living()
        if living:
            self._say(living[int(self._rng.random() * len(living))], at=at)

    def _say(self, node: Node, *, at: int) -> None:
        life, rng = node.life, self._rng
        delivered = life.delivered
        parents: tuple[MessageId, ...] = ()
        if delivered and rng.random() < self.options.answer_share:
            parents = (delivered[-1 - int(rng.random() ** 2 * len(delivered))],)
        self._words += 1
        text = f"{node.pid} says word {self._words}"
        effects = life.manager.send(GROUP, text, in_answer_to=parents, now=at)
        self._perform(node, effects, at=at)

    def _flood(self, at: int) -> None:
        living = self.living()
        if living:
            for _ in range(self.options.flood):
                self._say(living[0], at=at)

    def _crash(self, at: int) -> None:
        """A process dies; another under the same name comes up some time later."""
        living = self.living()
        if len(living) < 2:
            return
        node = living[int(self._rng.random() * len(living))]
        self._is_up[node.number] = False
        returns_at = at + int(self._rng.random() * self._lasts_us / 2) + 1
        self._plan(returns_at, partial(self._begin, node, Newcomer.ALL))

    def _leave(self, at: int) -> None:
        """A member leaves, and comes back some time later in the same process."""
        living = self.living()
        if len(living) < 2:
            return
        node = living[int(self._rng.random() * len(living))]
        self._perform(node, node.life.manager.leave(GROUP, now=at), at=at)
        comes_back_at = at + int(self._rng.random() * self._lasts_us / 2) + 1
        self._plan(comes_back_at, partial(self._come_back, node, node.life))

    def _come_back(self, node: Node, life: Life, at: int) -> None:
        if not self._is_up[node.number] or node.life is not life:
            return
        life.newcomer = Newcomer.ALL
        life.deliveries.clear()
        life.pids.clear()
        self._enter(node, is_first=False, at=at)

    def _attack(self, at: int) -> None:
        """A stranger sends a datagram that nobody should take."""
        datagram = self.stranger.datagram()
        for node in self.nodes:
            if self._is_up[node.number]:
                self._plan(at + 1, partial(self._arrive, node, node.life, datagram))

    # How it happens.

    def _perform(self, node: Node, effects: Effects, *, at: int) -> None:
        """Do what a manager asks for: send, tell, and wake it up in time."""
        before = frozenset(node.life.delivered) if effects.datagrams else frozenset()
        node.life.note(effects, now=at)
        self._check_confirmed(node, effects)
        for datagram in effects.datagrams:
            self.ledger.sent(datagram, before=before, now=at)
            self.stranger.overhear(datagram)
            for other in self.nodes:
                if other is node or not self._is_up[other.number]:
                    continue
                for arrives_at in self._ether.carry(
                    node.number, destination=other.number, sent_at=at
                ):
                    arrival = partial(self._arrive, other, other.life, datagram)
                    self._plan(max(arrives_at, at + 1), arrival)
        self._wake_up(node, at=at)

    def _check_confirmed(self, node: Node, effects: Effects) -> None:
        """Note what is delivered although somebody who lives does not have it."""
        if self.options.acceptance == "causal" or not node.life.is_member:
            return
        reliability = node.life.manager.memberships[GROUP].reliability
        for event in effects.events:
            if isinstance(event, Delivered) and reliability is not None:
                maybe_said = self.ledger.said.get(event.id)
                audience = () if maybe_said is None else maybe_said.audience
                self.unconfirmed += [
                    (node.name, event.id, other.pid)
                    for other in self.living()
                    if other is not node
                    and other.pid in audience
                    and other.pid not in reliability.confirming.failed
                    and not other.life.manager.memberships[GROUP].holdings.contains(event.id)
                ]

    def _wake_up(self, node: Node, *, at: int) -> None:
        maybe_deadline = node.life.manager.next_deadline()
        if maybe_deadline is None:
            return
        wakes_at = max(maybe_deadline, at + 1)
        if node.maybe_timer_at is None or wakes_at < node.maybe_timer_at:
            node.maybe_timer_at = wakes_at
            self._plan(wakes_at, partial(self._time_out, node, node.life))

    def _arrive(self, node: Node, life: Life, datagram: bytes, at: int) -> None:
        if not self._is_up[node.number] or node.life is not life:
            return
        had = _stored(life)
        effects = life.manager.receive(datagram, now=at)
        if datagram[KIND_AT : KIND_AT + 1] == SYNCHRONISATION:
            self.came_by_answer += max(0, _stored(life) - had)
        self._perform(node, effects, at=at)

    def _time_out(self, node: Node, life: Life, at: int) -> None:
        if node.life is not life or not self._is_up[node.number]:
            return
        if node.maybe_timer_at is not None and node.maybe_timer_at <= at:
            node.maybe_timer_at = None
        self._perform(node, life.manager.advance(at), at=at)


def _is_waiting(membership: Membership) -> bool:
    reliability = membership.reliability
    return reliability is not None and bool(reliability.unsent or reliability.confirming.waiting)


def _stored(life: Life) -> int:
    maybe_membership = life.manager.memberships.get(GROUP)
    return 0 if maybe_membership is None else maybe_membership.store.count


def _holdings_of(life: Life) -> tuple[tuple[str, tuple[int, ...]], ...]:
    had = life.manager.memberships[GROUP].holdings.had
    return tuple(sorted((pid, tuple(runs)) for pid, runs in had.items()))
