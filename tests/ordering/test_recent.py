"""Laws of the window of recent deliveries: an equivocation is seen inside it and only there."""

from __future__ import annotations

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from ordering.events import Delivered, Duplicate, Event
from ordering.policy import Limits
from ordering.recent import RecentDeliveries
from ordering.values import MemberId, Message, MessageId
from tests.ordering.messages import ident, say
from tests.ordering.untimed import untimed

WIDTH = 3
RECENT_US = 10
PIDS = [MemberId("a#1")]
LIMITS = Limits(recent_deliveries=WIDTH, recent_us=RECENT_US)


def other(message_id: MessageId) -> Message:
    return Message(message_id, (), b"something else")


def window(*batches: tuple[int, int]) -> RecentDeliveries:
    """A window that saw so many deliveries at each instant: a1, a2, a3 ..."""
    recent, position = RecentDeliveries(LIMITS), 0
    for count, now in batches:
        events = [Delivered(at, say(f"a{at}")) for at in range(position + 1, position + count + 1)]
        recent.extend(events, first=0, now=now)
        position += count
    return recent


@untimed
@given(
    st.lists(st.tuples(st.integers(0, 5), st.integers(0, 4)), max_size=8),
    st.integers(0, 12),
    st.booleans(),
)
def test_other_content_is_an_equivocation_while_the_delivery_is_near_and_fresh(
    pauses: list[tuple[int, int]], wait: int, is_restored: bool
) -> None:
    now, batches, times = 0, list[tuple[int, int]](), list[int]()
    for count, pause in pauses:
        now += pause
        batches.append((count, now))
        times += [now] * count
    recent, position, now = window(*batches), len(times), now + wait
    if is_restored:
        kept = recent.remembered(PIDS, now=now)
        recent = RecentDeliveries(LIMITS)
        recent.recall(kept, pids=PIDS, position=position)
    for at, delivered_at in enumerate(times, start=1):
        is_inside = at > position - WIDTH and now - delivered_at < RECENT_US
        found = recent.is_equivocation(other(ident(f"a{at}")), position=position, now=now)
        assert found == is_inside
        same = say(f"a{at}")
        assert not recent.is_equivocation(same, position=position, now=now)


def test_what_was_never_delivered_is_no_equivocation() -> None:
    assert not window().is_equivocation(say("a1"), position=0, now=0)
    assert not window((2, 0)).is_equivocation(say("b1"), position=2, now=0)


def test_a_window_of_no_width_sees_nothing() -> None:
    recent = RecentDeliveries(Limits(recent_deliveries=0))
    recent.extend([Delivered(1, say("a1"))], first=0, now=0)
    assert not recent.is_equivocation(other(ident("a1")), position=1, now=0)
    assert recent.remembered(PIDS, now=0) == [[], [], [], b""]


def test_only_deliveries_from_the_first_on_are_taken() -> None:
    recent = RecentDeliveries(LIMITS)
    events: list[Event] = [Delivered(1, say("a1")), Duplicate(say("a1")), Delivered(2, say("a2"))]
    recent.extend(events, first=1, now=0)
    times, senders, seqs, _ = recent.remembered(PIDS, now=0)
    assert (times, senders, seqs) == ([0, 1], [0], [2])


def test_what_is_remembered_is_the_same_when_asked_twice_and_is_plain() -> None:
    recent = window((5, 0))
    once = recent.remembered(PIDS, now=0)
    assert once == recent.remembered(PIDS, now=0)
    assert once[:3] == [[0, 3], [0, 0, 0], [3, 4, 5]]
    assert msgspec.msgpack.decode(msgspec.msgpack.encode(once)) == once


@untimed
@given(st.lists(st.tuples(st.integers(0, 7), st.booleans()), max_size=8))
def test_where_snapshots_were_taken_leaves_no_trace(batches: list[tuple[int, bool]]) -> None:
    watched, quiet, position = RecentDeliveries(LIMITS), RecentDeliveries(LIMITS), 0
    for now, (count, is_taken) in enumerate(batches):
        events = [Delivered(at, say(f"a{at}")) for at in range(position + 1, position + count + 1)]
        for one in (watched, quiet):
            one.extend(events, first=0, now=now)
        position += count
        if is_taken:
            watched.remembered(PIDS, now=now)
    assert watched.remembered(PIDS, now=8) == quiet.remembered(PIDS, now=8)


def take_plainly(recent: RecentDeliveries, said: dict[int, Message], *, now: int) -> None:
    """Messages by their positions, which follow one another."""
    recent.extend_plainly(
        senders=[one.id.sender for one in said.values()],
        seqs=[one.id.seq for one in said.values()],
        contents=[one.content for one in said.values()],
        through=max(said),
        now=now,
    )


def test_deliveries_with_and_without_an_event_are_one_window_in_the_order_of_positions() -> None:
    said = [say("a1"), say("b1"), say("a2"), say("b2")]
    for flat_at in ({1}, {2}, {1, 3}, {1, 2, 3, 4}):
        mixed, events = RecentDeliveries(LIMITS), RecentDeliveries(LIMITS)
        for position, message in enumerate(said, start=1):
            now = position // 3
            events.extend([Delivered(position, message)], first=0, now=now)
            if position in flat_at:
                take_plainly(mixed, {position: message}, now=now)
            else:
                mixed.extend([Delivered(position, message)], first=0, now=now)
        for message in said:
            for one in (message, other(message.id)):
                assert mixed.is_equivocation(one, position=4, now=1) == events.is_equivocation(
                    one, position=4, now=1
                )
        pids = [MemberId("a#1"), MemberId("b#1")]
        again = RecentDeliveries(LIMITS)
        take_plainly(again, {1: said[0], 2: said[1]}, now=0)
        take_plainly(again, {3: said[2], 4: said[3]}, now=1)
        expected = events.remembered(pids, now=1)
        assert mixed.remembered(pids, now=1) == expected
        assert again.remembered(pids, now=1) == expected
