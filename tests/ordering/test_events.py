"""Laws of events: they compare, hash, print and match by their fields, each kind by itself."""

from __future__ import annotations

from typing import get_args

import pytest

from ordering.events import (
    NO_MARKS,
    Abandoned,
    Delivered,
    Duplicate,
    Event,
    GapClosed,
    GapOpened,
    Held,
    Mark,
    Quarantined,
    Reason,
    Released,
)
from tests.ordering.messages import ident, say


def one_of_each() -> list[Event]:
    message, missing = say("b1", "a1"), ident("a1")
    return [
        Delivered(1, message),
        Held(message, missing),
        Released(message.id, Reason.GAVE_UP),
        Quarantined(message, Reason.CYCLE),
        Duplicate(message),
        GapOpened(missing),
        GapClosed(missing),
        Abandoned(missing),
    ]


def test_every_kind_of_event_is_equal_to_its_like_and_to_no_other() -> None:
    events, again = one_of_each(), one_of_each()
    assert {type(event) for event in events} == set(get_args(Event))
    for at, event in enumerate(events):
        assert [other == event for other in again] == [at == number for number in range(len(again))]
    assert len({*events, *again}) == len(events)


@pytest.mark.parametrize("event", one_of_each(), ids=lambda event: type(event).__name__)
def test_an_event_prints_the_fields_that_it_matches_by(event: Event) -> None:
    text = repr(event)
    assert text.startswith(f"{type(event).__name__}(")
    for name in event.__match_args__:
        assert f"{name}={getattr(event, name)!r}" in text


def test_every_field_counts_in_a_comparison() -> None:
    plain = Delivered(1, say("a1"))
    assert plain != Delivered(2, say("a1"))
    assert plain != Delivered(1, say("a1", content=b"other"))
    assert plain != Delivered(1, say("a1"), frozenset({Mark.LATE}))
    assert plain != (1, say("a1"), NO_MARKS)


def test_a_delivery_has_no_marks_unless_told() -> None:
    match Delivered(7, say("a1")):
        case Delivered(position, message, marks):
            assert (position, message, marks) == (7, say("a1"), frozenset())


def test_an_event_holds_its_fields_and_nothing_else() -> None:
    for event in one_of_each():
        assert not hasattr(event, "__dict__")


def test_no_two_reasons_or_marks_share_a_word() -> None:
    assert len({reason.value for reason in Reason}) == len(Reason) == len(Reason.__members__)
    assert {mark.value for mark in Mark} == {"late", "parent_missing"}
