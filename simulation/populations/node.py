"""A node: one member of a population through all its lives, with what it was told in each.

A life begins when the node's process starts and ends when it crashes or the world ends. Nothing of
one life is known in the next but, mostly, the count of incarnations.
"""

from __future__ import annotations

from members.asking import ALL, NOW, JoinPolicy, last, thread
from members.events import Delivered, Effects, Gap, NewIncarnation, Synchronised
from members.routing import GroupManager
from ordering.policy import GroupPolicy
from ordering.values import GroupId, MemberId, MessageId
from simulation.populations.options import SECOND, START_AT, Newcomer

GROUP = GroupId("population")
LAST_MESSAGES = 5
"""How many messages a newcomer wants that wants the last ones."""


class Life:
    """What one process knew and was told."""

    def __init__(self, manager: GroupManager, *, newcomer: Newcomer, began_at: int) -> None:
        self.manager = manager
        self.newcomer = newcomer
        self.began_at = began_at
        self.maybe_thread: MessageId | None = None
        self.deliveries: list[tuple[int, Delivered]] = []
        self.maybe_synchronised_at: int | None = None
        self.pids: list[MemberId] = []
        self.gaps = 0

    def note(self, effects: Effects, *, now: int) -> None:
        """Take in what the manager told."""
        for event in effects.events:
            if isinstance(event, Delivered):
                self.deliveries.append((now, event))
            elif isinstance(event, Synchronised):
                if self.maybe_synchronised_at is None:
                    self.maybe_synchronised_at = now
            elif isinstance(event, NewIncarnation):
                self.pids.append(event.member)
            elif isinstance(event, Gap):
                self.gaps += 1

    @property
    def delivered(self) -> list[MessageId]:
        """The ids in the order of delivery."""
        return [event.id for _, event in self.deliveries]

    @property
    def is_member(self) -> bool:
        """Whether it is in the group."""
        return GROUP in self.manager.memberships


class Node:
    """One member of the population."""

    def __init__(self, number: int, *, seed: int) -> None:
        self.number = number
        self.name = f"member{number}"
        self.incarnation = 0
        self.lives: list[Life] = []
        self.maybe_timer_at: int | None = None
        self._seed = seed

    @property
    def life(self) -> Life:
        """The life that it lives now, or lived last."""
        return self.lives[-1]

    def start(self, *, newcomer: Newcomer, is_amnesiac: bool, now: int) -> Life:
        """Begin a life. Who has forgotten even its incarnation takes one from the clock."""
        self.incarnation += 1
        if is_amnesiac:
            self.incarnation = max(self.incarnation, (now - START_AT) // SECOND + 1_000)
        manager = GroupManager(
            self.name,
            incarnation=self.incarnation,
            seed=self._seed * 1_000 + len(self.lives),
        )
        life = Life(manager, newcomer=newcomer, began_at=now)
        self.lives.append(life)
        self.maybe_timer_at = None
        return life

    def create(self, policy: GroupPolicy, *, now: int) -> Effects:
        """Create the group."""
        effects = self.life.manager.create(GROUP, description="all of us", policy=policy, now=now)
        return self._entered(effects)

    def join(self, policy: GroupPolicy, *, root: MessageId | None, now: int) -> Effects:
        """Join the group as the kind of newcomer that it is."""
        life = self.life
        history: JoinPolicy = ALL
        if life.newcomer is Newcomer.NOW:
            history = NOW
        elif life.newcomer is Newcomer.LAST:
            history = last(LAST_MESSAGES)
        elif life.newcomer is Newcomer.THREAD and root is not None:
            history = thread(root)
            life.maybe_thread = root
        return self._entered(life.manager.join(GROUP, history, policy=policy, now=now))

    def _entered(self, effects: Effects) -> Effects:
        self.incarnation = max(self.incarnation, int(self.pid.rpartition("#")[2]))
        self.life.pids.append(self.pid)
        return effects

    @property
    def pid(self) -> MemberId:
        """The pid under which it is in the group."""
        return self.life.manager.memberships[GROUP].pid
