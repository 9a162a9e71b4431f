"""Measures who waits, how long and for whom, under each order, on messages that people really sent.

Called by the registry as the evaluation `waiting`. Three things are measured:
1. every set under every order: spans and vector clocks arrive as they did, chat with mail's delays;
2. for chat, what share of the messages waits longer than a given time;
3. for chat, what share waits at all, against the mean of exponential delays.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from simulation.evaluation.delay_law import DelayLaw, exponential_law, mail_delay_us
from simulation.evaluation.errors import MissingChatError
from simulation.evaluation.options import DataSource, Options, Size
from simulation.evaluation.orders import Order, prepare
from simulation.evaluation.records import SECOND_US, Kind, MessageSet, Sent, read_sets
from simulation.evaluation.waits import Ancestry, Arrival, Cause, Run, Wait, run_group

MEAN_DELAYS_SECONDS = (0.1, 1.0, 10.0, 100.0, 1000.0)
SMALL_MEAN_DELAYS_SECONDS = (1.0, 100.0)
SWEEP_GROUPS = 8
"""So many chat groups are enough for the sweep over delays: some 10,000 messages."""
SWEEP_ORDERS = (Order.SEMANTIC, Order.FIFO, Order.CAUSAL_LINKS, Order.TOTAL)
"""Causal order with all seen is left out of the sweep: it waits as total order does."""
SMALL_GROUPS = 3
LONGER_THAN_SECONDS = (
    *(round(first * 10.0**power, 3) for power in range(4) for first in (1.0, 1.8, 3.2, 5.6)),
    10_000.0,
)
DIGITS = 4


@dataclass(frozen=True)
class Summary:
    """All measured messages of one set under one order.

    Shares are of the measured messages; means are over all of them, those that didn't wait too;
    `waiting_*` are over those that waited. `never_delivered` wait for something that isn't in the
    set; `before_parent` were delivered before a parent that came later. `longer_than_percent` are
    the shares that waited longer than each threshold.
    """

    order: Order
    measured: int
    waiting: int
    never_delivered: int
    before_parent: int
    for_ancestor: int
    for_own: int
    for_unrelated: int
    mean_waited_messages: float
    waiting_p50_messages: int
    waiting_p99_messages: int
    mean_waited_seconds: float
    waiting_p50_seconds: float
    waiting_p99_seconds: float
    most_held: int
    stamp_entries_per_message: float
    longer_than_percent: tuple[float, ...]


@dataclass(frozen=True)
class SetFigures:
    """One set under all orders."""

    name: str
    kind: Kind
    groups: int
    messages: int
    measured: int
    arrived_before_parent: int
    has_time: bool
    orders: tuple[Summary, ...]

    def of(self, order: Order) -> Summary:
        """The summary of `order`."""
        return next(summary for summary in self.orders if summary.order is order)


@dataclass(frozen=True)
class DelayPoint:
    """The share that waits at all under each of `SWEEP_ORDERS`, at one mean delay."""

    mean_delay_seconds: float
    waiting_percent: tuple[float, ...]


@dataclass(frozen=True)
class WaitingFigures:
    """Everything that the page of this evaluation is made from."""

    seed: int
    source: DataSource
    sets: tuple[SetFigures, ...]
    chat: str
    longer_than_seconds: tuple[float, ...]
    sweep_messages: int
    sweep: tuple[DelayPoint, ...]


@dataclass
class _Tally:
    """What is added up over the groups of one set under one order."""

    waits: list[Wait]
    causes: Counter[Cause]
    most_held: int = 0
    stamp_entries: int = 0
    messages: int = 0
    before_parent: int = 0


def measure(options: Options) -> WaitingFigures:
    """Reads the sets and measures all three things.

    Raises `MissingDataError` without data, and `MissingChatError` where none of it is chat.
    """
    full = options.size is Size.FULL
    sets = [_shorten(one, full=full) for one in read_sets(options.data_directory)]
    maybe_chat = next((one for one in sets if one.kind is Kind.CHAT), None)
    if maybe_chat is None:
        raise MissingChatError(options.data_directory, found=tuple(one.name for one in sets))
    groups = maybe_chat.groups[:SWEEP_GROUPS]
    means = MEAN_DELAYS_SECONDS if full else SMALL_MEAN_DELAYS_SECONDS
    return WaitingFigures(
        seed=options.seed,
        source=options.data_source,
        sets=tuple(measure_set(one, seed=options.seed) for one in sets),
        chat=maybe_chat.name,
        longer_than_seconds=LONGER_THAN_SECONDS,
        sweep_messages=sum(message.is_linked for group in groups for message in group),
        sweep=tuple(_delay_point(groups, mean, seed=options.seed) for mean in means),
    )


def _shorten(one: MessageSet, *, full: bool) -> MessageSet:
    return one if full else one._replace(groups=one.groups[:SMALL_GROUPS])


def _delay_point(groups: Sequence[Sequence[Sent]], mean_seconds: float, *, seed: int) -> DelayPoint:
    law = exponential_law(mean_seconds)
    shares = []
    for order in SWEEP_ORDERS:
        waits = _tally(groups, order, law=law, seed=seed).waits
        shares.append(_percent(sum(wait.waited_messages > 0 for wait in waits), len(waits)))
    return DelayPoint(mean_seconds, tuple(shares))


def arrivals_of(group: Sequence[Sent], *, law: DelayLaw, generator: random.Random) -> list[Arrival]:
    """When each message arrives: as recorded, else after a delay drawn from `law`.

    Draws one chance per message whatever the law, so that laws and orders compare like with like.
    """
    planned = []
    for number, sent in enumerate(group):
        chance = generator.random()
        if sent.maybe_arrived_at is not None:
            at = sent.maybe_arrived_at
        else:
            at = sent.sent_at + law(chance)
        planned.append((at, sent.place, number))
    return [Arrival(at, number) for at, _, number in sorted(planned)]


def _tally(groups: Sequence[Sequence[Sent]], order: Order, *, law: DelayLaw, seed: int) -> _Tally:
    """Runs all groups under one order; only messages whose parents somebody looked for count."""
    tally = _Tally([], Counter())
    generator = random.Random(seed)
    for group in groups:
        prepared = prepare(group, order)
        arrivals = arrivals_of(group, law=law, generator=generator)
        run = run_group(prepared.policy, prepared.messages, arrivals)
        ancestry = Ancestry([sent.id for sent in group], [sent.parents for sent in group])
        for wait in run.waits:
            if group[wait.number].is_linked:
                tally.waits.append(wait)
                if wait.maybe_last_missing is not None:
                    tally.causes[ancestry.cause(wait.number, wait.maybe_last_missing)] += 1
        tally.before_parent += _delivered_before_parent(group, run)
        tally.most_held = max(tally.most_held, run.most_held)
        tally.stamp_entries += prepared.stamp_entries
        tally.messages += len(group)
    return tally


def _delivered_before_parent(group: Sequence[Sent], run: Run) -> int:
    """How many measured messages the order let through before one of their parents."""
    delivered = [group[wait.number] for wait in run.waits if wait.is_delivered]
    positions = {sent.id: position for position, sent in enumerate(delivered)}
    return sum(
        any(positions.get(parent, -1) > position for parent in sent.parents)
        for position, sent in enumerate(delivered)
        if sent.is_linked
    )


def _before_parent(groups: Sequence[Sequence[Sent]], *, seed: int) -> int:
    """How many messages arrive before the first of their parents, where that comes at all."""
    generator = random.Random(seed)
    count = 0
    for group in groups:
        arrivals = arrivals_of(group, law=mail_delay_us, generator=generator)
        places = {group[arrival.number].id: place for place, arrival in enumerate(arrivals)}
        count += sum(
            places[sent.id] < places.get(sent.parents[0], 0) for sent in group if sent.parents
        )
    return count


def measure_set(one: MessageSet, *, seed: int) -> SetFigures:
    """One set under all orders; tests ask for a small set to see documents come out again."""
    return SetFigures(
        name=one.name,
        kind=one.kind,
        groups=len(one.groups),
        messages=sum(len(group) for group in one.groups),
        measured=sum(message.is_linked for group in one.groups for message in group),
        arrived_before_parent=_before_parent(one.groups, seed=seed),
        has_time=one.has_time,
        orders=tuple(
            _summary(order, _tally(one.groups, order, law=mail_delay_us, seed=seed))
            for order in Order
        ),
    )


def _summary(order: Order, tally: _Tally) -> Summary:
    waits = tally.waits
    waiting = [wait for wait in waits if wait.waited_messages or not wait.is_delivered]
    messages = sorted(wait.waited_messages for wait in waiting)
    seconds = sorted(wait.waited_us / SECOND_US for wait in waiting)
    return Summary(
        order=order,
        measured=len(waits),
        waiting=len(waiting),
        never_delivered=sum(not wait.is_delivered for wait in waits),
        before_parent=tally.before_parent,
        for_ancestor=tally.causes[Cause.ANCESTOR],
        for_own=tally.causes[Cause.OWN],
        for_unrelated=tally.causes[Cause.UNRELATED],
        mean_waited_messages=round(sum(messages) / len(waits), DIGITS),
        waiting_p50_messages=int(_quantile(messages, 0.5)),
        waiting_p99_messages=int(_quantile(messages, 0.99)),
        mean_waited_seconds=round(sum(seconds) / len(waits), DIGITS),
        waiting_p50_seconds=round(_quantile(seconds, 0.5), DIGITS),
        waiting_p99_seconds=round(_quantile(seconds, 0.99), DIGITS),
        most_held=tally.most_held,
        stamp_entries_per_message=round(tally.stamp_entries / tally.messages, DIGITS),
        longer_than_percent=_longer(waits),
    )


def _quantile(ordered: Sequence[float], share: float) -> float:
    """The smallest value that `share` of the values don't exceed; 0 where there are none."""
    return ordered[min(int(share * len(ordered)), len(ordered) - 1)] if ordered else 0.0


def _longer(waits: Sequence[Wait]) -> tuple[float, ...]:
    return tuple(
        _percent(sum(wait.waited_us > threshold * SECOND_US for wait in waits), len(waits))
        for threshold in LONGER_THAN_SECONDS
    )


def _percent(part: int, whole: int) -> float:
    return round(100 * part / whole, DIGITS)
