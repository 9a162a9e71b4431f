"""Ticks: the log's time passes in a shard, and those whom it concerns are told.

The job writes a tick into every raw partition once it has ordered what was there before, so the
log's time stands still while the job is away. A tick:

1. moves the time on. If the step is longer than `MOST_STEP_US` the job was away or behind, and
   nobody can be blamed for having waited so long: the surplus is forgiven to all who wait;
2. lets every group that may have something to tell take notice: those that were touched since the
   last tick and hold something (`fresh`), and those with a deadline that has come;
3. tells each message that is held and was captured after the last tick as waiting.

Which groups take notice is a function of the log, like everything that follows from it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from ordering.engine import Engine
from ordering.policy import SECOND_US
from ordering.requirement import Requirement
from ordering.values import Message
from ordering_udfs.outputs import Outputs
from ordering_udfs.shard_state import BEFORE_ALL_TIME, ShardState

MOST_STEP_US = 2 * SECOND_US
"""How much waiting one tick may count. It must be no shorter than the slowest pace of ticks that
can be configured, and short against what groups wait before they give up."""


class Ticks:
    """The passing of time in one shard, for one batch."""

    def __init__(self, state: ShardState, *, outputs: Outputs) -> None:
        self._state = state
        self._outputs = outputs
        self._fresh = dict.fromkeys(state.fresh)

    def begin(self, captured_at: int) -> None:
        """Take the time of the first record ever as the log's, until there is a tick."""
        if self._state.now == BEFORE_ALL_TIME:
            self._state.now = captured_at

    def note(self, touched: Iterable[tuple[str, Engine]]) -> None:
        """Note that groups were touched."""
        fresh, deadlines, waiting = self._fresh, self._state.deadlines, self._state.waiting
        for group, engine in touched:
            if engine.held_count:
                fresh[group] = None
            elif fresh or deadlines or waiting:
                fresh.pop(group, None)
                deadlines.pop(group, None)
                waiting.pop(group, None)

    def pass_to(self, at: int, *, offset: int, open_engine: Callable[[str], Engine]) -> None:
        """Let the time reach a tick's, which stands at this offset of the log."""
        state = self._state
        step = at - state.now
        if step > MOST_STEP_US:
            for group in sorted({*self._fresh, *state.deadlines}):
                engine = open_engine(group)
                engine.forgive(step - MOST_STEP_US)
                self._note_deadline(group, engine)
        state.now = max(state.now, at)
        due = {group for group, deadline in state.deadlines.items() if deadline <= state.now}
        for group in sorted(due | self._fresh.keys()):
            self._tell(group, open_engine(group))
        state.tick_offset = offset
        self._fresh.clear()

    def finish(self) -> None:
        """Keep in the state what the next batch must know."""
        self._state.fresh = sorted(self._fresh)

    def _tell(self, group: str, engine: Engine) -> None:
        state, outputs = self._state, self._outputs
        key = group.encode()
        for event in engine.advance(state.now):
            outputs.tell(key, event)
        holding = list(engine.holding())
        held = [one for one in holding if one[0].origin[0] > state.tick_offset]
        held.sort(key=lambda one: one[0].origin)
        for message, waiting_for in held:
            outputs.wait(key, message, waiting_for)
        self._note_waiting(group, holding)
        self._note_deadline(group, engine)

    def _note_waiting(self, group: str, holding: list[tuple[Message, Requirement]]) -> None:
        """Note how much is missing, and how long the oldest message has been here."""
        if not holding:
            self._state.waiting.pop(group, None)
            return
        ids = {message.id for message, _ in holding}
        missing = {one for _, one in holding if (one.sender, one.seq) not in ids}
        oldest = min(message.origin[2] for message, _ in holding)
        self._state.waiting[group] = (len(missing), oldest)

    def _note_deadline(self, group: str, engine: Engine) -> None:
        maybe_deadline = engine.next_deadline()
        if maybe_deadline is None:
            self._state.deadlines.pop(group, None)
        else:
            self._state.deadlines[group] = maybe_deadline
