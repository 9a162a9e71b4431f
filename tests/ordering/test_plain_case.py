"""Laws of the plain case: whoever asks for it first gets what the careful way would give."""

from __future__ import annotations

from itertools import groupby, takewhile
from typing import Any

import msgspec
import pytest
from hypothesis import given

from ordering.engine import Engine
from ordering.events import Delivered, Event
from ordering.plain_case import Arrivals
from ordering.policy import GiveUp, Limits
from ordering.values import Message
from tests.ordering.histories import TIGHT, History, histories
from tests.ordering.messages import policy_for, say
from tests.ordering.untimed import untimed
from tests.ordering.ways import careful_engine


def arrivals_of(messages: dict[int, Message]) -> Arrivals:
    """Messages by their places, as a host gives them."""
    parts: list[Any] = []
    for place, message in messages.items():
        parts += (*message.id, *(*message.parents, ("", 0))[0], message.content, place)
    return Arrivals(parts, longest=max((len(one.content) for one in messages.values()), default=0))


def fates(engine: Engine, history: History) -> list[Event]:
    """Ask for the plain case first, as a host does: all messages of one instant at once."""
    deliver = engine.plain_case()
    assert deliver is not None
    events: list[Event] = []
    for now, stretch in groupby(history, key=lambda one: one[1]):
        events += engine.advance(now)
        messages = [message for message, _ in stretch]
        single = list(takewhile(lambda one: len(one.parents) < 2, messages))
        arrivals, positions = arrivals_of(dict(enumerate(single))), [0] * len(single)
        at = 0
        while at < len(messages):
            maybe_place = deliver(arrivals, positions) if at < len(single) else at
            end = len(single) if maybe_place is None else maybe_place
            plain = zip(positions[at:end], messages[at:end], strict=True)
            events += [Delivered(place, message) for place, message in plain]
            if maybe_place is not None:
                events += engine.receive(messages[end], now=now)
                end += 1
            at = end
    return events


@pytest.mark.parametrize("give_up", list(GiveUp))
@pytest.mark.parametrize("limits", [Limits(), TIGHT], ids=["roomy", "tight"])
@untimed
@given(history=histories())
def test_the_plain_case_gives_the_same_fates_and_leaves_the_same_memory(
    give_up: GiveUp, limits: Limits, history: History
) -> None:
    policy = policy_for(give_up=give_up, limits=limits)
    plain, fast, careful = Engine(policy), Engine(policy), careful_engine(policy)
    expected: list[Event] = []
    for message, now in history:
        expected += careful.receive(message, now=now)
        fast.receive(message, now=now)
    assert fates(plain, history) == expected
    assert plain.missing() == careful.missing()
    encode = msgspec.msgpack.encode
    assert encode(plain.snapshot()) == encode(fast.snapshot())


def delivered(engine: Engine, message: Message) -> bool:
    deliver = engine.plain_case()
    assert deliver is not None
    return deliver(arrivals_of({0: message}), [0]) is None


def test_only_what_is_fresh_and_concerns_nobody_else_is_plain() -> None:
    engine = Engine(policy_for(limits=Limits(members=2)))
    assert not delivered(engine, say("a1", "b1"))  # the first of its sender, and has to wait
    assert delivered(engine, say("a1"))
    engine.receive(say("b1", "a3"), now=0)
    for other in (
        say("a1"),  # a duplicate
        say("c1"),  # one sender too many
        say("a3"),  # somebody waits for it
        say("a2", "a9"),  # its parent is missing
    ):
        assert not delivered(engine, other)
    assert engine.delivered_count == 1
    assert delivered(engine, say("a2", "a1"))
    assert engine.delivered_count == 2


def test_the_plain_case_ends_before_the_first_message_that_is_not_plain_and_goes_on_behind_it() -> (
    None
):
    engine = Engine(policy_for(limits=Limits(payload_bytes=3)))
    deliver = engine.plain_case()
    assert deliver is not None
    engine.receive(say("a1"), now=0)
    said = {
        1: ("a2", b"two"),
        3: ("a3", b"3"),
        4: ("a3", b"3"),
        5: ("a4", b"four"),
        6: ("a5", b"5"),
    }
    arrivals = arrivals_of(
        {place: say(name)._replace(content=content) for place, (name, content) in said.items()}
    )
    positions = [0] * 7  # those at 0 and 2 are of another group
    assert deliver(arrivals, positions) == 4  # a duplicate
    assert positions == [0, 2, 0, 3, 0, 0, 0]
    assert deliver(arrivals, positions) == 5  # too long
    assert deliver(arrivals, positions) is None
    assert deliver(arrivals, positions) is None  # nothing is left
    assert positions == [0, 2, 0, 3, 0, 0, 4]
    assert engine.delivered_count == 4


def test_other_disciplines_have_no_plain_case() -> None:
    assert Engine(policy_for(discipline="fifo")).plain_case() is None
    assert Engine(policy_for(limits=Limits(parents=0))).plain_case() is None
