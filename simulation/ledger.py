"""What an endpoint's transcript amounts to: deliveries, holdings and refusals, in order.

Made once per endpoint by `simulation.judge`; every checker reads it. It believes nothing that can
be counted: the delivered set is built from the `Delivered` events, never from the engine's own
figures.

    steps        0: receive b (answers a)   1: receive a             2: tick
    events       Held(b)                    Delivered(a, 1),         -
                                            Delivered(b, 2)
    deliveries   a at step 1 before=0b00, b at step 1 before=0b01
    holdings     b from step 0 until step 1
    delivered    0b00 after step 0, 0b11 after step 1, 0b11 after step 2
"""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

from ordering.events import Delivered, Duplicate, Event, Held, Mark, Quarantined, Reason
from ordering.requirement import Requirement
from ordering.stamps import SignificantStamps
from ordering.values import split_pid
from simulation.confirmations import Confirmations, Word
from simulation.endpoint import Endpoint
from simulation.history import Entry, slots_in
from simulation.policies import retires


class Delivery(NamedTuple):
    """One `Delivered` event."""

    step: int
    entry: Entry
    position: int
    marks: frozenset[Mark]
    before: int  # the mask of what was delivered before it


class Holding(NamedTuple):
    """How long a message was held: from the step that said so to the one that ended it."""

    entry: Entry
    from_step: int
    maybe_until_step: int | None


class Wait(NamedTuple):
    """One `Held` event: what the message said it waits for, and what was delivered by then."""

    step: int
    entry: Entry
    waiting_for: Requirement
    before: int


class Refusal(NamedTuple):
    """One `Quarantined` event."""

    step: int
    entry: Entry
    reason: Reason


class Ledger:
    """The books of one endpoint."""

    def __init__(self, endpoint: Endpoint) -> None:
        self.endpoint = endpoint
        self.deliveries: list[Delivery] = []
        self.holdings: list[Holding] = []
        self.refusals: list[Refusal] = []
        self.waits: list[Wait] = []
        self.freed: dict[tuple[int, int], int] = {}  # (step, entry) of a holding's end -> its start
        self.duplicates: list[tuple[int, Entry]] = []
        self.changed: list[tuple[int, Event]] = []  # not about what was handed over
        self.delivered_after: list[int] = []  # the mask of what is delivered after each step
        self.captured_after: list[int] = []  # and of what was handed over and not refused
        self.handed_at: dict[int, int] = {}  # entry index -> the step that first handed it over
        self._open: dict[int, tuple[Entry, int]] = {}  # slot -> what is held, since when
        self._delivered = 0
        self._captured = 0
        self.receipts = 0
        self.first: dict[int, Entry] = {}  # slot -> its entry that was handed over first
        self.contents: dict[int, list[Entry]] = {}  # slot -> all that were; several are hostile
        entries = endpoint.history.entries
        for number, step in enumerate(endpoint.steps):
            if step.entry_index >= 0:
                self.receipts += 1
                self._captured |= 1 << entries[step.entry_index].slot
                if step.entry_index not in self.handed_at:
                    entry = entries[step.entry_index]
                    self.handed_at[step.entry_index] = number
                    self.first.setdefault(entry.slot, entry)
                    self.contents.setdefault(entry.slot, []).append(entry)
            for event in step.events:
                self._enter(number, event)
            self.delivered_after.append(self._delivered)
            self.captured_after.append(self._captured)
        for entry, from_step in self._open.values():
            self.holdings.append(Holding(entry, from_step, None))

    @property
    def delivered(self) -> int:
        """The mask of all that is delivered in the end."""
        return self._delivered

    @property
    def held(self) -> list[Entry]:
        """What is held in the end."""
        return [entry for entry, _ in self._open.values()]

    @cached_property
    def confirmations(self) -> Confirmations:
        """What the messages that were handed over confirm; made when first asked for."""
        entries = self.endpoint.history.entries
        refused = {refusal.entry.number for refusal in self.refusals}
        return Confirmations(
            [
                Word(step, entries[index], is_refused=index in refused)
                for index, step in self.handed_at.items()
                if entries[index].confirms
            ]
        )

    def waited_us(self, entry: Entry, *, step: int) -> int:
        """How long ago, at a step, a message was first handed over."""
        steps = self.endpoint.steps
        return steps[step].now - steps[self.handed_at[entry.number]].now

    def lapsed(self, entry: Entry, *, step: int) -> int:
        """Of what a message awaits, what need not be awaited any more at a step.

        In significant order everything sent before `now - delta` counts as arrived.
        """
        stamps = entry.message.stamps
        if not isinstance(stamps, SignificantStamps):
            return 0
        mask = 0
        oldest = self.endpoint.steps[step].now - self.endpoint.policy.delta_us
        preceding = dict(zip(stamps.members, stamps.preceding, strict=False))
        preceding[entry.message.id.sender] = stamps.own_preceding
        ids = self.endpoint.history.ids
        for slot in slots_in(entry.awaits):
            if preceding.get(ids[slot].sender, oldest) < oldest:
                mask |= 1 << slot
        return mask

    def is_retired(self, pid: str, *, step: int) -> bool:
        """Whether a member need not be waited for because a newer incarnation of it was heard.

        Only where no more than the newest incarnation of a name is remembered.
        """
        if not retires(self.endpoint.policy):
            return False
        name, own = split_pid(pid)
        entries = self.endpoint.history.entries
        others = (
            split_pid(entries[index].message.id.sender)
            for index, at in self.handed_at.items()
            if at <= step
        )
        return any(other_name == name and other > own for other_name, other in others)

    def retired(self, mask: int, *, step: int) -> int:
        """Of a mask, what is of retired members."""
        ids = self.endpoint.history.ids
        retired = 0
        for slot in slots_in(mask):
            if self.is_retired(ids[slot].sender, step=step):
                retired |= 1 << slot
        return retired

    def refused_as_ring(self, *, before_step: int) -> int:
        """The mask of what had been quarantined because it hangs from itself."""
        mask = 0
        for refusal in self.refusals:
            if refusal.reason is Reason.CYCLE and refusal.step < before_step:
                mask |= 1 << refusal.entry.slot
        return mask

    def gave_up_on(self, slot: int, *, before_step: int) -> bool:
        """Whether this very message had been quarantined by the give-up rule before."""
        return any(
            refusal.entry.slot == slot
            and refusal.reason is Reason.GAVE_UP
            and refusal.step <= before_step
            for refusal in self.refusals
        )

    def _enter(self, number: int, event: Event) -> None:
        kind = type(event)
        if kind not in _ABOUT_A_MESSAGE:
            return
        entry = self.endpoint.history.entry_of(event.message)  # type: ignore[union-attr]
        if entry is None:
            self.changed.append((number, event))
        elif isinstance(event, Delivered):
            self._close(number, entry)
            self.deliveries.append(
                Delivery(number, entry, event.position, event.marks, self._delivered)
            )
            self._delivered |= 1 << entry.slot
        elif isinstance(event, Held):
            self._open.setdefault(entry.slot, (entry, number))
            self.waits.append(Wait(number, entry, event.waiting_for, self._delivered))
        elif isinstance(event, Quarantined):
            self._close(number, entry)
            self.refusals.append(Refusal(number, entry, event.reason))
            if self.first.get(entry.slot) is entry:
                self._captured &= ~(1 << entry.slot)
        else:
            self.duplicates.append((number, entry))

    def _close(self, number: int, entry: Entry) -> None:
        held = self._open.get(entry.slot)
        if held is not None and held[0] is entry:
            del self._open[entry.slot]
            self.holdings.append(Holding(entry, held[1], number))
            if held[1] != number:
                self.freed[number, entry.number] = held[1]


_ABOUT_A_MESSAGE = (Delivered, Held, Quarantined, Duplicate)
