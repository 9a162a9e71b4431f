"""The laws of the whole engine, for every discipline, against a naive model and against itself."""

from __future__ import annotations

from random import Random

import msgspec
import pytest
from hypothesis import Phase, given, settings

from ordering.engine import Engine
from ordering.events import Delivered, Duplicate, Event, Quarantined
from ordering.policy import GiveUp, GroupPolicy, Limits
from ordering.requirement import Standing
from ordering.values import MemberId, Message, MessageId
from tests.ordering.messages import (
    PATIENCE_US,
    delivered,
    group,
    ident,
    policy_for,
    say,
    through_bytes,
)
from tests.ordering.naive_model import NaiveGroup
from tests.ordering.worlds import CONFLICTS, DISCIPLINES, mix, policy_of, talk, worlds

every_discipline = pytest.mark.parametrize("discipline", DISCIPLINES)
every_rule = pytest.mark.parametrize("give_up", list(GiveUp))
MOST_PAUSE_US = 40


def timed(arrivals: list[Message], rng: Random) -> list[tuple[Message, int]]:
    """Let the log's time pass between arrivals, or not."""
    now, stamped = 0, []
    for message in arrivals:
        now += rng.choice((0, 0, 0, 1, MOST_PAUSE_US))
        stamped.append((message, now))
    return stamped


def one_by_one(policy: GroupPolicy, arrivals: list[tuple[Message, int]]) -> list[Event]:
    """Feed a fresh engine message by message, and let all patience run out."""
    engine = Engine(policy)
    events = [event for message, now in arrivals for event in engine.receive(message, now=now)]
    return events + engine.advance(arrivals[-1][1] + 10 * PATIENCE_US)


@every_discipline
@settings(max_examples=60, deadline=None)
@given(rng=worlds())
def test_what_is_delivered_after_each_arrival_is_what_the_definition_allows(
    discipline: str, rng: Random
) -> None:
    engine = Engine(policy_of(discipline))
    naive = NaiveGroup(discipline, conflicts=CONFLICTS)
    positions: list[MessageId] = []
    for message in mix(talk(discipline, rng), rng):
        naive.receive(message)
        events = engine.receive(message, now=0)
        positions += [event.message.id for event in events if isinstance(event, Delivered)]
        assert set(positions) == set(naive.delivered)
    assert len(positions) == len(set(positions)) == engine.delivered_count


@every_discipline
@settings(max_examples=40, deadline=None)
@given(rng=worlds())
def test_any_order_of_arrival_ends_with_everything_delivered_and_nothing_held(
    discipline: str, rng: Random
) -> None:
    said = talk(discipline, rng)
    arrivals = rng.sample(said, len(said))
    engine = Engine(policy_of(discipline))
    events = engine.receive_all(arrivals, now=0)
    order = [event.message.id for event in events if isinstance(event, Delivered)]
    assert sorted(order) == sorted(message.id for message in said)
    assert engine.held_count == 0


@settings(max_examples=100, deadline=None)
@given(rng=worlds())
def test_a_tree_is_delivered_depth_first_in_order_of_arrival(rng: Random) -> None:
    engine, naive = group(), NaiveGroup("semantic", conflicts=frozenset())
    order: list[MessageId] = []
    for message in mix(talk("semantic", rng), rng):
        answer = message._replace(parents=message.parents[:1])
        naive.receive(answer)
        events = engine.receive(answer, now=0)
        order += [event.message.id for event in events if isinstance(event, Delivered)]
    assert order == naive.delivered


@every_discipline
@every_rule
@settings(max_examples=25, deadline=None, phases=[Phase.generate])
@given(rng=worlds())
def test_any_batching_and_any_restart_give_the_same_events(
    discipline: str, give_up: GiveUp, rng: Random
) -> None:
    policy = policy_for(
        discipline, give_up=give_up, limits=Limits(recent_deliveries=4, abandoned_per_sender=2)
    )
    arrivals = timed(mix(talk(discipline, rng), rng), rng)
    if not arrivals:
        return
    plain = one_by_one(policy, arrivals)
    engine, events, at = Engine(policy), list[Event](), 0
    while at < len(arrivals):
        end = at + 1
        while end < len(arrivals) and arrivals[end][1] == arrivals[at][1] and rng.random() < 0.8:
            end += 1
        batch = [message for message, _ in arrivals[at:end]]
        events += engine.receive_all(batch, now=arrivals[at][1])
        if rng.random() < 0.5:
            engine = through_bytes(engine, policy)
        at = end
    events += engine.advance(arrivals[-1][1] + 10 * PATIENCE_US)
    assert events == plain


@every_discipline
@every_rule
@settings(max_examples=25, deadline=None, phases=[Phase.generate])
@given(rng=worlds())
def test_every_received_message_ends_in_exactly_one_fate(
    discipline: str, give_up: GiveUp, rng: Random
) -> None:
    policy = policy_for(discipline, give_up=give_up)
    engine, counts = Engine(policy), dict.fromkeys((Delivered, Quarantined, Duplicate), 0)
    for received, (message, now) in enumerate(timed(mix(talk(discipline, rng), rng), rng), 1):
        for event in engine.receive(message, now=now):
            if type(event) in counts:
                counts[type(event)] += 1
        assert sum(counts.values()) + engine.held_count == received
        assert sum(missing.waiting for missing in engine.missing()) == engine.held_count


@every_discipline
@settings(max_examples=40, deadline=None)
@given(rng=worlds())
def test_duplicates_change_nothing_but_their_own_fate(discipline: str, rng: Random) -> None:
    arrivals = mix(talk(discipline, rng), rng)
    once = list({message.id: message for message in reversed(arrivals)}.values())[::-1]
    seen: list[Message] = []
    repeated: list[Message] = []
    for message in once:
        seen.append(message)
        repeated += [message, *(rng.choice(seen) for _ in range(rng.randint(0, 2)))]
    plain = Engine(policy_of(discipline)).receive_all(once, now=0)
    doubled = Engine(policy_of(discipline)).receive_all(repeated, now=0)
    assert [event for event in doubled if not isinstance(event, Duplicate)] == plain
    assert sum(isinstance(event, Duplicate) for event in doubled) == len(repeated) - len(once)


@settings(max_examples=40, deadline=None)
@given(rng=worlds())
def test_what_hangs_from_nothing_missing_is_never_held_by_what_does(rng: Random) -> None:
    sent = talk("semantic", rng)
    lost = {message.id for message in sent if rng.random() < 0.3}
    hanging = set(lost)
    for message in sent:
        if hanging & set(message.parents):
            hanging.add(message.id)
    arrivals = [message for message in sent if message.id not in lost]
    rng.shuffle(arrivals)
    events = Engine(policy_of("semantic")).receive_all(arrivals, now=0)
    got = {event.message.id for event in events if isinstance(event, Delivered)}
    assert got == {message.id for message in sent} - hanging


@settings(max_examples=60, deadline=None)
@given(rng=worlds())
def test_why_leads_from_every_held_message_to_something_that_is_missing(rng: Random) -> None:
    engine = group()
    arrivals = mix(talk("semantic", rng), rng, loss=0.4)
    engine.receive_all(arrivals, now=0)
    missing = {one.requirement for one in engine.missing()}
    for message in arrivals:
        why = engine.why(message.id)
        if why.standing is Standing.DELIVERED:
            continue
        assert why.chain[0].message_id == message.id
        assert why.chain[-1].waiting_for == why.missing
        assert why.missing in missing
        for link, following in zip(why.chain, why.chain[1:], strict=False):
            assert link.waiting_for == following.message_id


def test_why_tells_where_any_id_stands() -> None:
    engine = group(give_up=GiveUp.RELEASE)
    engine.receive_all([say("a1"), say("b1", "z9"), say("c1", "y1")], now=0)
    assert engine.why(ident("a1")).standing is Standing.DELIVERED
    assert engine.why(ident("b1")).standing is Standing.HELD
    assert engine.why(ident("z9")).standing is Standing.MISSING
    assert engine.why(ident("q1")).standing is Standing.UNKNOWN
    engine.advance(PATIENCE_US)
    assert engine.why(ident("z9")).standing is Standing.ABANDONED


def test_time_that_goes_back_changes_nothing() -> None:
    engine = group(give_up=GiveUp.RELEASE)
    engine.receive(say("b1", "a1"), now=1_000)
    assert engine.advance(5) == []
    assert engine.next_deadline() == 1_000 + PATIENCE_US
    assert delivered(engine.advance(1_000 + PATIENCE_US)) == "b1"


def test_a_million_in_order_by_five_members_fit_in_three_hundred_bytes_when_quiet() -> None:
    engine, each = group(), 1_000
    names = [MemberId(f"member-{number}#1") for number in range(5)]
    engine.receive_all(
        (Message(MessageId(name, seq), (), b"x") for seq in range(1, each + 1) for name in names),
        now=1_760_000_000_000_000,
    )
    snapshot = engine.snapshot()
    # The rest of the million are only higher numbers: put them in and see that they count.
    for member in snapshot[4]:
        member[2] = 200_001
    snapshot[3] = 1_000_000
    engine = Engine.restore(policy_for(), snapshot)
    again = Message(MessageId(names[0], 200_000), (), b"x")
    assert isinstance(engine.receive(again, now=0)[0], Duplicate)
    engine.advance(1_760_000_900_000_000)
    assert len(msgspec.msgpack.encode(engine.snapshot())) < 300


def test_a_chain_of_a_hundred_thousand_in_reverse_needs_no_recursion() -> None:
    length = 100_000
    name = MemberId("a#1")
    chain = [
        Message(MessageId(name, seq), (MessageId(name, seq - 1),) if seq > 1 else (), b"")
        for seq in range(1, length + 1)
    ]
    engine = group(limits=Limits(held_per_sender=length, held_per_group=length))
    events = engine.receive_all(reversed(chain), now=0)
    order = [event.message.id.seq for event in events if isinstance(event, Delivered)]
    assert order == list(range(1, length + 1))
    assert engine.held_count == 0


def test_what_an_engine_holds_is_told_with_what_it_waits_for() -> None:
    engine = group()
    engine.receive_all([say("b1", "a1"), say("c1", "b1"), say("d1")], now=0)
    assert {message.id: waits for message, waits in engine.holding()} == {
        ident("b1"): ident("a1"),
        ident("c1"): ident("b1"),
    }


def test_an_engine_goes_on_under_another_policy_with_what_it_held() -> None:
    engine = group()
    engine.receive_all([say("a1"), say("b2", "x9"), say("b3", "b2"), say("c1", "a1")], now=0)
    engine, events = engine.changed(policy_for("fifo"), now=0)
    assert (delivered(events), engine.held_count) == ("", 2)
    assert delivered(engine.receive(say("b1"), now=0)) == "b1 b2 b3"
    assert engine.delivered_count == 5
    engine, events = engine.changed(policy_for("none"), now=0)
    assert (events, delivered(engine.receive(say("c7", "x9"), now=0))) == ([], "c7")
    assert engine.receive(say("b2", "x9"), now=0) == [Duplicate(say("b2", "x9"))]
