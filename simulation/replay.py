"""A transcript done again, with fewer steps: the shortest history that still breaks the promise.

`simulation.shrink` calls this when the options can't be made smaller any more. An endpoint is a
function of its steps, so steps can be left out and the rest done again in a fresh engine.

1. Try to leave out half of the steps, then quarters, eighths ... down to single steps.
2. Whatever can be left out while the same checker still speaks stays out.
3. Stop when no single step can be left out.
"""

from __future__ import annotations

from simulation.checkers import batching_changes_result, restore_changes_result
from simulation.checkers.differences import brief
from simulation.checkers.violation import Violation
from simulation.endpoint import RESTORED, TICK, Endpoint, Step
from simulation.judge import judge_endpoint
from simulation.ledger import Ledger
from simulation.service import Log, Record, read_in_batches, read_with_crashes_everywhere


def play_again(endpoint: Endpoint, *, steps: list[Step]) -> Endpoint:
    """A fresh endpoint that was given only these steps."""
    again = endpoint.afresh()
    again.healed = endpoint.healed
    for step in steps:
        again.do(step)
    return again


def speaks(endpoint: Endpoint, *, checker: str) -> Violation | None:
    """What this checker says about an endpoint, if anything."""
    ledger = Ledger(endpoint)
    violations = judge_endpoint(ledger)
    if checker in (batching_changes_result.NAME, restore_changes_result.NAME):
        log = _log_of(endpoint)
        whole = [0, len(log.records)]
        if checker == batching_changes_result.NAME:
            difference = read_in_batches(log, plain=endpoint, cuts=whole)
            violations += batching_changes_result.check(ledger, maybe_difference=difference)
        else:
            difference = read_with_crashes_everywhere(log, plain=endpoint)
            violations += restore_changes_result.check(ledger, maybe_difference=difference)
    return next((one for one in violations if one.checker == checker), None)


def shorten(endpoint: Endpoint, *, checker: str) -> Endpoint | None:
    """The shortest transcript found for which the checker still speaks; None if it is silent."""
    steps = list(endpoint.steps)
    best = play_again(endpoint, steps=steps)
    if speaks(best, checker=checker) is None:
        return None
    size = max(1, len(steps) // 2)
    while True:
        start = 0
        shorter = False
        while start < len(steps):
            fewer = steps[:start] + steps[start + size :]
            again = play_again(endpoint, steps=fewer)
            if speaks(again, checker=checker) is not None:
                steps, best, shorter = fewer, again, True
            else:
                start += size
        if size == 1 and not shorter:
            return best
        size = max(1, size // 2)


def printed(endpoint: Endpoint) -> str:
    """The history of an endpoint, a line per step and what the engine said to it."""
    history = endpoint.history
    lines = []
    for number, step in enumerate(endpoint.steps):
        if step.entry_index == TICK:
            what = "tick"
        elif step.entry_index == RESTORED:
            what = "crash, rebuilt from bytes"
        else:
            message = history.entries[step.entry_index].message
            answers = ", ".join(f"{one.sender}:{one.seq}" for one in message.parents) or "the root"
            what = f"receive {message.id.sender}:{message.id.seq} answering {answers}"
            if message.stamps is not None:
                what += f" {message.stamps}"
        said = "; ".join(brief(event) for event in step.events) or "nothing"
        lines.append(f"  {number:>3}  now {step.now}  {what}\n         -> {said}")
    return "\n".join(lines)


def _log_of(endpoint: Endpoint) -> Log:
    """The log that an endpoint was given."""
    log = Log()
    log.records = [
        Record(step.entry_index, step.now, step.maybe_message)
        for step in endpoint.steps
        if step.entry_index != RESTORED
    ]
    return log
