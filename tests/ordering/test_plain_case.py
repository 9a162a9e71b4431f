"""Laws of the plain case: whoever asks for it first gets what the careful way would give."""

from __future__ import annotations

from itertools import groupby, takewhile

import msgspec
import pytest
from hypothesis import given

from ordering.engine import Engine
from ordering.events import Delivered, Event
from ordering.plain_case import Parts
from ordering.policy import GiveUp, Limits
from ordering.values import Message
from tests.ordering.histories import TIGHT, History, histories
from tests.ordering.messages import policy_for, say
from tests.ordering.untimed import untimed
from tests.ordering.ways import careful_engine


def bare(message: Message) -> Parts:
    (sender, seq), (parent, parent_seq) = message.id, (*message.parents, ("", 0))[0]
    return None, sender, seq, parent, parent_seq


def fates(engine: Engine, history: History) -> list[Event]:
    """Ask for the plain case first, as a host does: all messages of one instant at once."""
    deliver = engine.plain_case()
    assert deliver is not None
    events: list[Event] = []
    for now, stretch in groupby(history, key=lambda one: one[1]):
        events += engine.advance(now)
        messages = [message for message, _ in stretch]
        single = list(takewhile(lambda one: len(one.parents) < 2, messages))
        run, contents = [bare(one) for one in single], [one.content for one in single]
        places, positions = range(len(single)), [0] * len(single)
        at = 0
        while at < len(messages):
            end = deliver(run, contents, places, at, positions) if at < len(single) else at
            plain = zip(positions[at:end], messages[at:end], strict=True)
            events += [Delivered(place, message) for place, message in plain]
            if end < len(messages):
                events += engine.receive(messages[end], now=now)
            at = end + 1
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


def delivered(engine: Engine, message: Message) -> int:
    """How many of this one message are delivered."""
    deliver = engine.plain_case()
    assert deliver is not None
    return deliver([bare(message)], [b""], [0], 0, [0])


def test_only_what_is_fresh_and_concerns_nobody_else_is_plain() -> None:
    engine = Engine(policy_for())
    assert delivered(engine, say("a1")) == 0  # nobody has heard of this sender
    engine.receive_all([say("a1"), say("b1", "a3")], now=0)
    for other in (
        say("a1"),  # a duplicate
        say("a3"),  # somebody waits for it
        say("a2", "a9"),  # its parent is missing
    ):
        assert delivered(engine, other) == 0
    assert engine.delivered_count == 1
    assert delivered(engine, say("a2", "a1")) == 1
    assert engine.delivered_count == 2


def test_the_plain_case_ends_before_the_first_message_that_is_not_plain_and_goes_on_behind_it() -> (
    None
):
    engine = Engine(policy_for(limits=Limits(payload_bytes=3)))
    deliver = engine.plain_case()
    assert deliver is not None
    engine.receive(say("a1"), now=0)
    run = [bare(say(name)) for name in ("b1", "a2", "b2", "a3", "a3", "a4", "a5")]
    contents = [b"of another", b"two", b"group", b"3", b"3", b"four", b"5"]
    places, positions = [1, 3, 4, 5, 6], [0] * len(run)
    assert deliver(run, contents, places, 0, positions) == 2  # the next one is a duplicate
    assert deliver(run, contents, places, 2, positions) == 2
    assert deliver(run, contents, places, 3, positions) == 3  # too long
    assert deliver(run, contents, places, 4, positions) == 5
    assert deliver(run, contents, places, 5, positions) == 5  # nothing is left
    assert positions == [0, 2, 0, 3, 0, 0, 4]
    assert engine.delivered_count == 4


def test_other_disciplines_have_no_plain_case() -> None:
    assert Engine(policy_for(discipline="fifo")).plain_case() is None
    assert Engine(policy_for(limits=Limits(parents=0))).plain_case() is None
