"""A failing world made small: fewer groups, members, messages and faults while it still fails.

Called by `precede simulate` for a seed that failed. Every option has a plainest value; shrinking
tries, over and over, to set one more of them there. Each part of a world has its own stream of
chance, so taking one fault away leaves the others as they were.

When nothing more can be taken away, the transcript of the endpoint that failed is shortened step by
step (`simulation.replay`) and printed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final, NamedTuple

from simulation.checkers.violation import Violation
from simulation.endpoint import Endpoint
from simulation.options import DelayShape, GiveUp, Options
from simulation.replay import shorten, speaks
from simulation.run import run_options
from simulation.world import World

MOST_WORLDS_TRIED: Final = 400
"""A few seconds of trying; a person is waiting."""

PLAINEST: Final[dict[str, object]] = {
    "loss": 0.0,
    "duplication": 0.0,
    "shuffle_window": 0,
    "delay_shape": DelayShape.NONE,
    "delay_us": 0,
    "partitions": 0,
    "clogs": 0,
    "restarts": 0,
    "member_crashes": 0,
    "vanished": 0.0,
    "clock_skew_us": 0,
    "edges": 1,
    "largest_batch": 1,
    "service_crashes": 0,
    "tight": (),
    "hostile": (),
    "merge_share": 0.0,
}


class Shrunk(NamedTuple):
    """The smallest failing world that was found."""

    options: Options
    violation: Violation
    maybe_endpoint: Endpoint | None  # with the shortened transcript, if it could be done again


def shrink(options: Options, *, checker: str) -> Shrunk | None:
    """Make a failing world small; None if it does not fail at all."""
    if _violation_of(options, checker=checker) is None:
        return None
    tried = 0
    smaller = True
    while smaller and tried < MOST_WORLDS_TRIED:
        smaller = False
        for candidate in simpler(options):
            tried += 1
            if _violation_of(candidate, checker=checker) is not None:
                options, smaller = candidate, True
                break
            if tried >= MOST_WORLDS_TRIED:
                break
    return _with_history(options, checker=checker)


def simpler(options: Options) -> Iterator[Options]:
    """Worlds that are one step plainer, the largest steps first."""
    if len(options.groups) > 1:
        for group in options.groups:
            yield replace(options, groups=(group,))
    for messages in (options.messages // 2, options.messages * 4 // 5, options.messages - 1):
        if 0 < messages < options.messages:
            yield replace(options, messages=messages)
    if options.members > 1:
        yield replace(options, members=options.members - 1)
    for name, value in PLAINEST.items():
        if getattr(options, name) != value:
            yield replace(options, **{name: value})  # type: ignore[arg-type]
    for kind in options.hostile:
        if len(options.hostile) > 1:
            yield replace(options, hostile=tuple(one for one in options.hostile if one != kind))
    for bound in options.tight:
        if len(options.tight) > 1:
            yield replace(options, tight=tuple(one for one in options.tight if one != bound))
    for number, group in enumerate(options.groups):
        if group.give_up is not GiveUp.HOLD:
            plain = replace(group, give_up=GiveUp.HOLD, give_up_after_us=0)
            groups = (*options.groups[:number], plain, *options.groups[number + 1 :])
            yield replace(options, groups=groups)


def _violation_of(options: Options, *, checker: str) -> Violation | None:
    violations = run_options(options).violations
    return next((one for one in violations if one.checker == checker), None)


def _with_history(options: Options, *, checker: str) -> Shrunk | None:
    maybe_violation = _violation_of(options, checker=checker)
    if maybe_violation is None:
        return None
    world = World(options)
    world.run()
    for endpoint in world.endpoints():
        if endpoint.name == maybe_violation.endpoint:
            maybe_short = shorten(endpoint, checker=checker)
            if maybe_short is not None:
                said = speaks(maybe_short, checker=checker) or maybe_violation
                return Shrunk(options, said, maybe_short)
    return Shrunk(options, maybe_violation, None)
