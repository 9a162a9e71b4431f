"""A discrete-event model of four ways to learn that everyone has accepted a message.

Called by `sco_figures`, once per scheme and point of a sweep. The SCO paper gives the rules and
four numbers; this is the whole model.

World. `n` members and a clock of whole time units. The network is one-to-one, loses nothing and
takes `t` units ("one round") for every message. In every unit every member sends `a` data messages,
each to `r` members drawn at random from the other n - 1.

Schemes. The sender of a data message is its coordinator.
- C0: a destination confirms to the coordinator; with all r confirmations the coordinator sends a
  commitment to the r destinations; a destination reliably accepts on the commitment.
- D0: a destination confirms to the sender and to the other destinations; it reliably accepts when
  it has the confirmation of every other destination.
- C1, D1: the same two, but confirmations and commitments are *notes*: they wait and ride on the
  next data message to the same member. A member that has notes for a peer to which it has sent
  nothing for `k` units sends them in one control message. D1 is the SCO protocol.

One unit, in order:
  1. what was sent t units ago arrives; its notes are read, then its data is accepted;
  2. every member sends its data messages, each taking the notes that wait for that destination;
  3. every member sends the control messages that are due (plain schemes: one message per note).

    r = 2, t = 4      S1        S2        S3
    unit 0            m ------> .         .        data, to S2 and S3
    unit 4                      m         m        both accept and confirm to each other and to S1
    unit 8 (D0)                 reliable  reliable two rounds, 2 + 4 messages
    unit 12 (C0)                reliable  reliable three rounds, 6 messages

Delay. A message is *reliably* accepted at a destination as above, and *fully* accepted when it and
all messages to that destination that causally precede it are reliably accepted. What precedes is
taken from the paper's own `csn` vectors. Delays count from the unit of sending.
"""

from __future__ import annotations

import random
from bisect import bisect_left
from enum import Enum
from typing import NamedTuple

DRAIN_ROUNDS = 6
"""Messages of the last rounds are sent but not measured, so that every measured one is accepted."""


class Scheme(Enum):
    """The four schemes, by the paper's names."""

    C0 = "C0"
    C1 = "C1"
    D0 = "D0"
    D1 = "D1"

    @property
    def distributed(self) -> bool:
        """Destinations tell each other (D), instead of the coordinator telling all (C)."""
        return self in (Scheme.D0, Scheme.D1)

    @property
    def deferred(self) -> bool:
        """Notes wait for the next data message (1), instead of going at once and alone (0)."""
        return self in (Scheme.C1, Scheme.D1)


class Timer(Enum):
    """From when the k units of silence are counted; the paper says both."""

    LAST_SENT = "the last message to that member"
    FIRST_NOTE = "the first note that waits for that member"


class World(NamedTuple):
    """The numbers of the paper's model: members, data per unit, units per round, destinations."""

    members: int = 10
    data_per_unit: int = 1
    units_per_round: int = 4
    destinations: int = 5
    patience_units: int = 4
    timer: Timer = Timer.LAST_SENT


class Outcome(NamedTuple):
    """What one run gives: means over all measured data messages and their destinations."""

    messages_per_data_message: float
    reliable_delay_units: float
    full_delay_units: float


class _NoteKind(Enum):
    CONFIRMATION = "confirmation"
    COMMITMENT = "commitment"


class _Note(NamedTuple):
    kind: _NoteKind
    data: int


class _Packet(NamedTuple):
    sender: int
    receiver: int
    notes: list[_Note]
    maybe_data: int | None


class _Data(NamedTuple):
    sender: int
    sqn: int
    destinations: list[int]
    sent_at_unit: int
    csn: tuple[int, ...]


class ScoModel:
    """One run of one scheme; `run` may be called once."""

    def __init__(self, scheme: Scheme, world: World, *, seed: int) -> None:
        members = range(world.members)
        self._scheme = scheme
        self._world = world
        self._random = random.Random(seed)
        self._unit = 0
        self._data: list[_Data] = []
        self._in_flight: dict[int, list[_Packet]] = {}
        self._notes: list[list[list[_Note]]] = [[[] for _ in members] for _ in members]
        self._silent_since = [[0 for _ in members] for _ in members]
        self._missing: dict[tuple[int, int], int] = {}
        self._reliable_at_unit: dict[tuple[int, int], int] = {}
        self._next_sqn = [1 for _ in members]
        self._csn = [[1 for _ in members] for _ in members]
        self._packets_sent = 0

    def run(self, *, warm_up_units: int, measured_units: int) -> Outcome:
        """Runs warm-up, measured and draining units, and returns the means of the measured ones."""
        measured_until = warm_up_units + measured_units
        drain_units = DRAIN_ROUNDS * self._world.units_per_round + 4 * self._world.patience_units
        packets_before = 0
        packets_measured = 0
        for unit in range(measured_until + drain_units):
            if unit == warm_up_units:
                packets_before = self._packets_sent
            if unit == measured_until:
                packets_measured = self._packets_sent - packets_before
            self._unit = unit
            self._arrive()
            for member in range(self._world.members):
                self._send_data(member)
            if self._scheme.deferred:
                for member in range(self._world.members):
                    self._send_due_control(member)
        first, last = warm_up_units, measured_until
        measured = [n for n, data in enumerate(self._data) if first <= data.sent_at_unit < last]
        reliable, full = self._delays(measured)
        return Outcome(packets_measured / len(measured), reliable, full)

    def _arrive(self) -> None:
        for packet in self._in_flight.pop(self._unit, ()):
            for note in packet.notes:
                self._read_note(packet.receiver, note)
            if packet.maybe_data is not None:
                self._accept(packet.receiver, packet.maybe_data)

    def _read_note(self, receiver: int, note: _Note) -> None:
        data = self._data[note.data]
        if note.kind is _NoteKind.COMMITMENT:
            self._reliable_at_unit[note.data, receiver] = self._unit
            return
        key = (note.data, receiver)
        self._missing[key] -= 1
        if self._missing[key]:
            return
        if not self._scheme.distributed:
            for destination in data.destinations:
                self._note(receiver, destination, _Note(_NoteKind.COMMITMENT, note.data))
        elif receiver != data.sender:
            self._reliable_at_unit[key] = self._unit

    def _accept(self, receiver: int, number: int) -> None:
        """Continuous acceptance: moves CSN forward and makes the confirmations."""
        data = self._data[number]
        csn = self._csn[receiver]
        csn[data.sender] = data.sqn + 1
        for member, theirs in enumerate(data.csn):
            if member != data.sender and theirs > csn[member]:
                csn[member] = theirs
        confirmation = _Note(_NoteKind.CONFIRMATION, number)
        self._note(receiver, data.sender, confirmation)
        if self._scheme.distributed:
            if not self._missing[number, receiver]:
                self._reliable_at_unit[number, receiver] = self._unit
            for destination in data.destinations:
                if destination != receiver:
                    self._note(receiver, destination, confirmation)

    def _note(self, sender: int, receiver: int, note: _Note) -> None:
        if not self._scheme.deferred:
            self._send(_Packet(sender, receiver, [note], None))
            return
        waiting = self._notes[sender][receiver]
        if not waiting and self._world.timer is Timer.FIRST_NOTE:
            self._silent_since[sender][receiver] = self._unit
        waiting.append(note)

    def _send_data(self, sender: int) -> None:
        others = [member for member in range(self._world.members) if member != sender]
        for _ in range(self._world.data_per_unit):
            destinations = self._random.sample(others, self._world.destinations)
            sqn = self._next_sqn[sender]
            self._next_sqn[sender] += 1
            number = len(self._data)
            csn = tuple(self._csn[sender])
            self._data.append(_Data(sender, sqn, destinations, self._unit, csn))
            self._missing[number, sender] = len(destinations)
            for receiver in destinations:
                if self._scheme.distributed:
                    self._missing[number, receiver] = len(destinations) - 1
                self._send_with_notes(sender, receiver, number)

    def _send_due_control(self, sender: int) -> None:
        latest_silence = self._unit - self._world.patience_units
        silent_since = self._silent_since[sender]
        for receiver, waiting in enumerate(self._notes[sender]):
            if waiting and silent_since[receiver] <= latest_silence:
                self._send_with_notes(sender, receiver, None)

    def _send_with_notes(self, sender: int, receiver: int, maybe_data: int | None) -> None:
        notes = self._notes[sender][receiver]
        self._notes[sender][receiver] = []
        self._silent_since[sender][receiver] = self._unit
        self._send(_Packet(sender, receiver, notes, maybe_data))

    def _send(self, packet: _Packet) -> None:
        self._packets_sent += 1
        arrival = self._unit + self._world.units_per_round
        self._in_flight.setdefault(arrival, []).append(packet)

    def _delays(self, measured: list[int]) -> tuple[float, float]:
        """Means of the reliable and of the full delay over all destinations of `measured`.

        Per pair (sender, destination) the messages are walked in sqn order with the greatest
        reliable unit so far; a message is fully accepted at the greatest of these greatest units
        over all senders, each read at the last sqn that precedes the message.
        """
        members = range(self._world.members)
        sqns: list[list[list[int]]] = [[[] for _ in members] for _ in members]
        greatest: list[list[list[int]]] = [[[] for _ in members] for _ in members]
        for number, data in enumerate(self._data):
            for destination in data.destinations:
                at_unit = self._reliable_at_unit.get((number, destination))
                if at_unit is not None:
                    so_far = greatest[data.sender][destination]
                    so_far.append(max(at_unit, so_far[-1]) if so_far else at_unit)
                    sqns[data.sender][destination].append(data.sqn)
        reliable_units = 0
        full_units = 0
        for number in measured:
            data = self._data[number]
            for destination in data.destinations:
                at_unit = self._reliable_at_unit[number, destination]
                reliable_units += at_unit - data.sent_at_unit
                for member in members:
                    bound = data.sqn if member == data.sender else data.csn[member]
                    index = bisect_left(sqns[member][destination], bound)
                    if index:
                        at_unit = max(at_unit, greatest[member][destination][index - 1])
                full_units += at_unit - data.sent_at_unit
        count = len(measured) * self._world.destinations
        return reliable_units / count, full_units / count
