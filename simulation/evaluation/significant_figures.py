"""Measures how much of the full causal order the significant order does without.

Called by the registry as the evaluation `significant`. Two sweeps: over the share of operations
that change state, and over the share of pairs that conflict among those that could. At each point
histories are drawn and counted, and captured with delays by the production engine, once with
causal stamps and once with significant ones.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

from ordering.policy import GroupPolicy
from ordering.stamps import CausalStamps, SignificantStamps, Stamps
from ordering.values import MemberId, Message, MessageId
from simulation.evaluation.options import Options, Size
from simulation.evaluation.significant_model import SignificantModel
from simulation.evaluation.significant_order import Relations, bits, count_pairs, relate
from simulation.evaluation.significant_world import History, SignificantWorld, draw_catalogue
from simulation.evaluation.waits import Arrival, Run, run_group

FIXED_STATE_PERCENT = 50
FIXED_CONFLICT_PERCENT = 50
FULL_STATE_SWEEP = (0, 25, 50, 75, 100)
FULL_CONFLICT_SWEEP = (0, 25, 50, 75, 100)
SMALL_SWEEP = (0, 50, 100)
FULL_RUNS = 12
SMALL_RUNS = 1
FULL_WORLD = SignificantWorld()
SMALL_WORLD = SignificantWorld(clients=3, services=2, stores=2, transactions_per_client=2)
NO_BOUND_US = 3_600 * 1_000_000
"""Longer than any run: a message is never let through because the network's delay is over."""
DIGITS = 3


@dataclass(frozen=True)
class SignificantPoint:
    """One point of a sweep; percentages are of the messages, pairs are of the causal ones.

    The waits under the significant order by what was missing last: a message of the same instance,
    another that precedes by the tables, or one that doesn't precede but was sent before one that
    does. `mean_gap_us` is the time between one message sent and the next, by anybody.
    """

    state_percent: int
    conflict_percent: int
    messages: int
    causal_pairs: int
    needed_pairs: int
    needed_percent: float
    causal_waiting_percent: float
    significant_waiting_percent: float
    causal_mean_wait_us: float
    significant_mean_wait_us: float
    mean_gap_us: float
    waits_in_instance: int
    waits_otherwise: int
    waits_by_vector: int


@dataclass(frozen=True)
class SignificantFigures:
    """Everything that the page of this evaluation is made from."""

    seed: int
    runs: int
    world: SignificantWorld
    against_state: tuple[SignificantPoint, ...]
    against_conflict: tuple[SignificantPoint, ...]


@dataclass
class _Sum:
    """What is added up over the runs of a point."""

    messages: int = 0
    causal_pairs: int = 0
    needed_pairs: int = 0
    causal_waiting: int = 0
    significant_waiting: int = 0
    causal_us: int = 0
    significant_us: int = 0
    in_instance: int = 0
    otherwise: int = 0
    span_us: int = 0
    by_vector: int = 0


def measure(options: Options) -> SignificantFigures:
    """Runs both sweeps."""
    full = options.size is Size.FULL
    world = FULL_WORLD if full else SMALL_WORLD
    runs = FULL_RUNS if full else SMALL_RUNS
    return SignificantFigures(
        seed=options.seed,
        runs=runs,
        world=world,
        against_state=tuple(
            measure_point(world, state, FIXED_CONFLICT_PERCENT, seed=options.seed, runs=runs)
            for state in (FULL_STATE_SWEEP if full else SMALL_SWEEP)
        ),
        against_conflict=tuple(
            measure_point(world, FIXED_STATE_PERCENT, conflict, seed=options.seed, runs=runs)
            for conflict in (FULL_CONFLICT_SWEEP if full else SMALL_SWEEP)
        ),
    )


def measure_point(
    world: SignificantWorld, state_percent: int, conflict_percent: int, *, seed: int, runs: int
) -> SignificantPoint:
    """One point of either sweep; tests ask for single points to see documents come out again."""
    total = _Sum()
    for run in range(runs):
        _add_run(total, world, state_percent, conflict_percent, seed=seed * runs + run)
    count = total.messages
    return SignificantPoint(
        state_percent=state_percent,
        conflict_percent=conflict_percent,
        messages=count,
        causal_pairs=total.causal_pairs,
        needed_pairs=total.needed_pairs,
        needed_percent=round(100 * total.needed_pairs / total.causal_pairs, DIGITS),
        causal_waiting_percent=round(100 * total.causal_waiting / count, DIGITS),
        significant_waiting_percent=round(100 * total.significant_waiting / count, DIGITS),
        causal_mean_wait_us=round(total.causal_us / count, DIGITS),
        significant_mean_wait_us=round(total.significant_us / count, DIGITS),
        mean_gap_us=round(total.span_us / count, DIGITS),
        waits_in_instance=total.in_instance,
        waits_otherwise=total.otherwise,
        waits_by_vector=total.by_vector,
    )


def _add_run(
    total: _Sum, world: SignificantWorld, state_percent: int, conflict_percent: int, *, seed: int
) -> None:
    generator = random.Random(seed)
    catalogue = draw_catalogue(
        world.layers[-1].stop,
        state_percent=state_percent,
        conflict_percent=conflict_percent,
        generator=generator,
    )
    history = SignificantModel(world, catalogue, seed=seed).run()
    relations = relate(history, catalogue)
    pairs = count_pairs(history, catalogue, relations)
    arrivals = sorted(
        Arrival(sent.sent_at + round(generator.expovariate(1 / world.mean_capture_us)), number)
        for number, sent in enumerate(history.messages)
    )
    total.messages += len(history.messages)
    total.span_us += history.messages[-1].sent_at - history.messages[0].sent_at
    total.causal_pairs += pairs.causal
    total.needed_pairs += pairs.needed
    causal = run_group(
        GroupPolicy(discipline="causal"),
        messages_with(history, causal_stamps(history, relations)),
        arrivals,
    )
    significant = run_group(
        GroupPolicy(discipline="significant", delta_us=NO_BOUND_US),
        messages_with(history, significant_stamps(history, relations)),
        arrivals,
    )
    total.causal_waiting += sum(wait.waited_messages > 0 for wait in causal.waits)
    total.significant_waiting += sum(wait.waited_messages > 0 for wait in significant.waits)
    total.causal_us += sum(wait.waited_us for wait in causal.waits)
    total.significant_us += sum(wait.waited_us for wait in significant.waits)
    _add_causes(total, history, relations, significant)


def _add_causes(total: _Sum, history: History, relations: Relations, run: Run) -> None:
    instances: list[set[int]] = [set() for _ in history.messages]
    for steps in history.steps:
        for step in steps:
            instances[step.message].add(step.instance)
    for wait in run.waits:
        missing = wait.maybe_last_missing
        if missing is None:
            continue
        if instances[wait.number] & instances[missing]:
            total.in_instance += 1
        elif relations.significant[wait.number] >> missing & 1:
            total.otherwise += 1
        else:
            total.by_vector += 1


def member(number: int) -> MemberId:
    """The pid of an object."""
    return MemberId(f"object-{number}#1")


def _ids(history: History) -> list[MessageId]:
    counts: dict[int, int] = {}
    ids = []
    for message in history.messages:
        counts[message.sender] = counts.get(message.sender, 0) + 1
        ids.append(MessageId(member(message.sender), counts[message.sender]))
    return ids


def messages_with(history: History, stamps: list[Stamps]) -> list[Message]:
    """The messages of a history for the engine, numbered per object, with the given stamps."""
    return [
        Message(message_id, (), b"", one)
        for message_id, one in zip(_ids(history), stamps, strict=True)
    ]


def causal_stamps(history: History, relations: Relations) -> list[Stamps]:
    """For each message the next seq of every object that doesn't causally precede it."""
    ids = _ids(history)
    stamped: list[Stamps] = []
    for number in range(len(history.messages)):
        following: dict[MemberId, int] = {}
        for earlier in bits(relations.causal[number]):
            sender, seq = ids[earlier]
            following[sender] = max(following.get(sender, 0), seq + 1)
        stamped.append(CausalStamps(tuple(following), tuple(following.values())))
    return stamped


def significant_stamps(history: History, relations: Relations) -> list[Stamps]:
    """For each message its instant, and the newest of each object that directly precedes it."""
    stamped: list[Stamps] = []
    for number, message in enumerate(history.messages):
        newest: dict[int, int] = {}
        for earlier in bits(relations.direct[number]):
            sent = history.messages[earlier]
            newest[sent.sender] = max(newest.get(sent.sender, 0), sent.sent_at)
        own = newest.pop(message.sender, 0)
        stamped.append(
            SignificantStamps(
                sent_at=message.sent_at,
                members=tuple(member(sender) for sender in newest),
                preceding=tuple(newest.values()),
                own_preceding=own,
                message_type=message.message_type.value,
            )
        )
    return stamped
