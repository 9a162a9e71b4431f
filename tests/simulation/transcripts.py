"""Transcripts written by hand: what an engine might have said, to try the checkers on."""

from __future__ import annotations

from collections.abc import Sequence

from ordering.events import Delivered, Event, Held
from ordering.policy import GroupPolicy
from ordering.requirement import Link, Missing, Requirement, Standing, Why
from ordering.values import MemberId, Message, MessageId
from simulation.definitions.plain import named_by
from simulation.endpoint import TICK, Endpoint, Role, Step
from simulation.history import Entry, History
from simulation.ledger import Ledger
from simulation.options import GiveUp, GroupOptions, Hostility

START_AT = 1_000


class Figures:
    """Stands where the engine stands: only the figures that checkers ask for in the end."""

    def __init__(self) -> None:
        self.held_count = 0
        self.delivered_count = 0
        self.waiting: list[Missing] = []
        self.chains: dict[MessageId, Why] = {}

    def missing(self) -> list[Missing]:
        return self.waiting

    def why(self, message_id: MessageId) -> Why:
        return self.chains.get(message_id, Why(message_id, Standing.UNKNOWN))


class Script:
    """A transcript in the making. `now` is START_AT plus the number of the step, if not given."""

    def __init__(
        self, discipline: str = "semantic", *, give_up: GiveUp = GiveUp.HOLD, after_us: int = 0
    ) -> None:
        self.history = History()
        self.discipline = discipline
        options = GroupOptions(discipline, give_up, after_us)
        self.endpoint = Endpoint(
            "alice#1",
            role=Role.MEMBER,
            options=options,
            policy=GroupPolicy(),
            history=self.history,
        )
        self.figures = Figures()
        self.endpoint.engine = self.figures  # type: ignore[assignment]
        self.endpoint.healed = True
        self._held: dict[MessageId, Requirement] = {}

    def message(
        self,
        sender: str,
        seq: int,
        *,
        answers: Sequence[Entry | MessageId] = (),
        content: bytes = b"",
        hostility: Hostility | None = None,
    ) -> Entry:
        """Make a message; what it requires follows from the discipline."""
        parents = tuple(one.message.id if isinstance(one, Entry) else one for one in answers)
        message = Message(id=MessageId(MemberId(sender), seq), parents=parents, content=content)
        before = named_by(
            message.id, parents=parents, discipline=self.discipline, history=self.history
        )
        return self.history.write_down(
            message,
            requires=before.requires,
            maybe_names=before.names,
            sent_at=START_AT,
            maybe_hostility=hostility,
        )

    def receive(self, entry: Entry, *events: Event, now: int | None = None) -> None:
        """The engine was handed a message and said this."""
        self._step(entry.number, events, now)

    def tick(self, *events: Event, now: int | None = None) -> None:
        """Time passed and the engine said this."""
        self._step(TICK, events, now)

    def _step(self, index: int, events: tuple[Event, ...], now: int | None) -> None:
        at = START_AT + len(self.endpoint.steps) if now is None else now
        self.endpoint.steps.append(Step(index, at, list(events)))

    def ledger(self, *, figures_agree: bool = True) -> Ledger:
        """The books of the transcript; the engine's own figures agree with them unless told."""
        ledger = Ledger(self.endpoint)
        if figures_agree:
            self.figures.held_count = len(ledger.held)
            self.figures.delivered_count = len(ledger.deliveries)
            self._agree(ledger)
        return ledger

    def _agree(self, ledger: Ledger) -> None:
        waiting_for = {
            event.message.id: event.waiting_for
            for step in self.endpoint.steps
            for event in step.events
            if isinstance(event, Held)
        }
        self.figures.waiting = []
        for entry in ledger.held:
            message_id = entry.message.id
            requirement = waiting_for[message_id]
            self.figures.waiting.append(Missing(requirement, 1, START_AT))
            self.figures.chains[message_id] = Why(
                message_id, Standing.HELD, (Link(message_id, requirement),), requirement
            )


def delivered(position: int, entry: Entry) -> Delivered:
    """A delivery without marks."""
    return Delivered(position, entry.message)


def held(entry: Entry, waiting_for: Entry | MessageId) -> Held:
    """A holding for one id."""
    what = waiting_for.message.id if isinstance(waiting_for, Entry) else waiting_for
    return Held(entry.message, what)
