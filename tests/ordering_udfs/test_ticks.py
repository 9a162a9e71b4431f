"""Time passes in a shard by ticks alone, and whoever still waits is told."""

from __future__ import annotations

import random

import pytest
from msgspec.structs import replace

from ordering.policy import GiveUp, GroupPolicy
from ordering_udfs.group_policies import GroupPolicies
from ordering_udfs.ticks import MOST_STEP_US
from sinks.waits import GapStatus, Sought, WaitStatus
from tests.conversations import shuffled_conversation
from tests.messages import wire
from tests.ordering_udfs.shards import SECOND_US, RawRow, come_to, cut, rows, tick_at

A = wire("a", 1)
B = wire("b", 1, ("a", 1))
C = wire("c", 1, ("b", 1))


def giving_up(how: GiveUp, *, after_seconds: int) -> GroupPolicies:
    return GroupPolicies(GroupPolicy(give_up=how, after_us=after_seconds * SECOND_US))


def by_seconds(*values: tuple[float, bytes]) -> list[RawRow]:
    """A log in which each record came at this second."""
    return [RawRow(at, int(s * SECOND_US), value) for at, (s, value) in enumerate(values)]


def test_a_message_that_is_held_when_a_tick_passes_is_told_once_with_what_it_waits_for() -> None:
    came = come_to([rows(B, C, tick_at(1), tick_at(2))])
    assert [(one.id, one.status, one.maybe_sought, one.at) for one in came.waits] == [
        ("b#1:1", WaitStatus.HELD, Sought("a#1:1"), SECOND_US),
        ("c#1:1", WaitStatus.HELD, Sought("b#1:1"), SECOND_US),
    ]
    assert [(gap.status, gap.sought) for gap in came.gaps] == [(GapStatus.OPEN, Sought("a#1:1"))]


def test_a_message_that_was_only_overtaken_is_never_told() -> None:
    came = come_to([rows(tick_at(1), B, A, tick_at(2))])
    assert (came.waits, came.gaps) == ([], [])


def test_the_end_of_a_wait_is_told_with_what_became_of_it() -> None:
    came = come_to([rows(B, C, tick_at(1), A)])
    assert [(one.id, one.status, one.ordinal) for one in came.waits[2:]] == [
        ("b#1:1", WaitStatus.DELIVERED, 3),
        ("c#1:1", WaitStatus.DELIVERED, 4),
    ]
    assert [one.origin for one in came.waits[2:]] == [one.origin for one in came.waits[:2]]
    assert [gap.status for gap in came.gaps] == [GapStatus.OPEN, GapStatus.CLOSED]


@pytest.mark.parametrize(
    ("how", "status"),
    [(GiveUp.RELEASE, WaitStatus.RELEASED), (GiveUp.QUARANTINE, WaitStatus.QUARANTINED)],
)
def test_what_is_given_up_is_told_as_given_up(how: GiveUp, status: WaitStatus) -> None:
    log = by_seconds((0, B), (1, tick_at(1)), (3, tick_at(3)), (4, tick_at(4)), (6, tick_at(6)))
    came = come_to([[one] for one in log], policies=giving_up(how, after_seconds=5))
    assert [(one.status, one.at) for one in came.waits] == [
        (WaitStatus.HELD, SECOND_US),
        (status, 6 * SECOND_US),
    ]
    assert [gap.status for gap in came.gaps] == [GapStatus.OPEN, GapStatus.ABANDONED]
    assert len(came.ordered) + len(came.quarantined) == 1


def test_messages_alone_move_no_time() -> None:
    log = by_seconds((0, B), (1, tick_at(1)), (3_600, wire("d", 1)), (7_200, wire("d", 2)))
    came = come_to([log], policies=giving_up(GiveUp.RELEASE, after_seconds=5))
    assert [one.envelope for one in came.ordered] == [wire("d", 1), wire("d", 2)]
    assert came.state.now == SECOND_US


def test_an_absence_of_the_job_makes_nothing_be_given_up() -> None:
    patient = giving_up(GiveUp.RELEASE, after_seconds=8)
    before = by_seconds((0, B), (1, tick_at(1)), (3_600, C), (3_601, tick_at(3_601)))
    came = come_to([before], policies=patient)
    assert not came.ordered
    after = [
        RawRow(4 + number, 0, tick_at(second))
        for number, second in enumerate((3_603, 3_605, 3_607))
    ]
    assert not come_to([before, after[:2]], policies=patient).ordered
    came = come_to([before, after], policies=patient)
    assert [one.envelope for one in came.ordered] == [B, C]
    assert came.waits[-1].at == 3_607 * SECOND_US


def test_the_first_tick_of_an_old_log_gives_nothing_up() -> None:
    log = by_seconds((0, B), (86_400, A[:0]), (90_000, tick_at(90_000)))
    came = come_to([log], policies=giving_up(GiveUp.RELEASE, after_seconds=20))
    assert not came.ordered
    assert MOST_STEP_US < 20 * SECOND_US


def test_after_an_absence_the_state_is_the_same_whatever_the_hashes_of_names() -> None:
    names = [f"group-{number:02}" for number in range(40, 0, -1)]
    held = [(1.0, wire("b", 1, ("a", 1), group=name)) for name in names]
    log = by_seconds(*held, (60.0, tick_at(60)))
    came = come_to([log], policies=giving_up(GiveUp.RELEASE, after_seconds=90))
    assert list(came.state.deadlines) == sorted(names)


def test_a_tick_that_goes_back_moves_nothing_back() -> None:
    came = come_to([rows(B, tick_at(9), C, tick_at(3))])
    assert came.state.now == 9 * SECOND_US
    assert [one.at for one in came.waits] == [9 * SECOND_US] * 2


@pytest.mark.parametrize("how", list(GiveUp))
@pytest.mark.parametrize("seed", range(4))
def test_any_batches_give_the_same_waits_and_the_same_state(how: GiveUp, seed: int) -> None:
    dice = random.Random(seed)
    values: list[bytes] = []
    seconds = 0.0
    for value in shuffled_conversation(seed=seed, groups=4, messages=400):
        if dice.random() < 0.06:
            continue
        values.append(value)
        if dice.random() < 0.05:
            seconds += dice.choice([0.5, 1, 2, 30])
            values.append(tick_at(seconds))
    log = rows(*values)
    policies = giving_up(how, after_seconds=12)
    whole = come_to([log], policies=policies)
    assert whole.waits
    assert whole.gaps
    for other in range(4):
        came = come_to(cut(log, random.Random(other)), policies=policies)
        assert came.ordered == whole.ordered
        assert came.quarantined == whole.quarantined
        assert came.waits == whole.waits
        assert sorted(came.gaps) == sorted(whole.gaps)
        assert replace(came.state, groups={}) == replace(whole.state, groups={})
    assert come_to([[row] for row in log], policies=policies).waits == whole.waits


def test_the_newest_word_on_each_message_tells_exactly_what_is_held() -> None:
    values = [
        v for n, v in enumerate(shuffled_conversation(seed=9, groups=3, messages=300)) if n % 9
    ]
    came = come_to([rows(*values[:200], tick_at(1), *values[200:], tick_at(2))])
    newest = {one.origin: one for one in came.waits}
    held = [one for one in newest.values() if one.status is WaitStatus.HELD]
    assert len(held) == came.state.held > 0
