"""Laws of causal order: each acceptance level asks for what its name says is certain."""

from __future__ import annotations

import pytest

from ordering.disciplines.causal import acknowledgements, requires_at
from ordering.engine import Engine
from ordering.frontier import key_for
from ordering.policy import Acceptance, GroupPolicy, Limits
from ordering.requirement import Measure, Requirement, UpTo
from ordering.stamps import CausalStamps
from ordering.values import MemberId, Message
from tests.ordering.memories import FAR, memory
from tests.ordering.messages import delivered, say

ALICE, BOB, CAROL = (MemberId(f"{name}#1") for name in "abc")
EARLIER = UpTo(BOB, 2)
CAUSES = UpTo(ALICE, 4)
CONFIRMED = UpTo(BOB, 3, Measure.ACKNOWLEDGED, by=CAROL)
MESSAGE = say("b3", stamps=CausalStamps((ALICE, BOB, CAROL), (5, 3, 1), dst=(CAROL, BOB)))


def required(level: Acceptance, message: Message) -> set[Requirement]:
    """All that asks for something."""
    return {one for one in requires_at(level)(message) if one.seq > 0}


@pytest.mark.parametrize(
    ("level", "wanted"),
    [
        (Acceptance.SIMPLE, set()),
        (Acceptance.CONTINUOUS, {EARLIER}),
        (Acceptance.CAUSAL, {EARLIER, CAUSES}),
        (Acceptance.RELIABLE, {CONFIRMED}),
        (Acceptance.CONTINUOUSLY_RELIABLE, {EARLIER, CONFIRMED}),
        (Acceptance.FULL, {EARLIER, CAUSES, CONFIRMED}),
    ],
)
def test_a_level_requires_what_its_name_makes_certain(
    level: Acceptance, wanted: set[Requirement]
) -> None:
    assert required(level, MESSAGE) == wanted


def test_without_a_destination_everyone_in_the_vector_confirms_but_the_sender() -> None:
    message = say("b3", stamps=CausalStamps((ALICE, BOB), (1, 1)))
    wanted = {UpTo(BOB, 3, Measure.ACKNOWLEDGED, by=ALICE)}
    assert required(Acceptance.RELIABLE, message) == wanted


@pytest.mark.parametrize("level", list(Acceptance))
def test_a_first_message_with_an_empty_vector_requires_nothing(level: Acceptance) -> None:
    assert required(level, say("a1")) == set()
    assert required(level, say("a1", stamps=CausalStamps((), ()))) == set()


def test_acknowledgements_only_grow_and_tell_what_is_new() -> None:
    state = memory(GroupPolicy("causal", acceptance=Acceptance.RELIABLE))

    def heard(*ack: int) -> list[tuple[str, int]]:
        stamps = CausalStamps((BOB, CAROL), (1, 1), ack=ack)
        return acknowledgements(state, say("a1", stamps=stamps))

    of_bob, of_carol = (key_for(one, Measure.ACKNOWLEDGED, by=ALICE) for one in (BOB, CAROL))
    assert heard(1, 4) == [(of_carol, 3)]
    assert heard(1, 3) == []
    assert heard(FAR, 4) == [(of_bob, FAR - 1)]
    assert acknowledgements(state, say("a1")) == []


def test_made_up_names_do_not_fill_a_row() -> None:
    state = memory(GroupPolicy("causal", limits=Limits(members=2)))
    names = tuple(f"x{number}#1" for number in range(9))
    stamps = CausalStamps(names, (1,) * 9, ack=(5,) * 9)
    assert len(acknowledgements(state, say("a1", stamps=stamps))) == 2


def test_what_the_sender_had_seen_is_delivered_first_and_nobody_waits_for_silence() -> None:
    engine = Engine(GroupPolicy("causal"))
    after = say("b1", stamps=CausalStamps((ALICE, CAROL), (3, 1)))
    events = engine.receive_all([after, say("a2"), say("a1")], now=0)
    assert delivered(events) == "a1 a2 b1"
