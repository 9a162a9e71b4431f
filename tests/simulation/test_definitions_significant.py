"""Laws of the definition of significant order."""

from __future__ import annotations

import pytest

from ordering.disciplines.significant_tables import TABLES
from ordering.values import MemberId, Message, MessageId
from simulation.definitions.significant import (
    RECEIVE_SEND,
    RECEIVE_SEND_APART,
    SEND_SEND,
    Deed,
    Instance,
    Meaning,
    Next,
    comes_before,
    required,
)
from simulation.history import Entry, History

MEANING = Meaning(
    conflicts=frozenset({("write", "write"), ("write", "read"), ("read", "write")}), delta_us=20
)
TYPES = ("IS", "IN", "NS", "NN", "O", "N")


def made(history: History, seq: int, *, requires: int = 0) -> Entry:
    message = Message(MessageId(MemberId("alice#1"), seq), (), b"")
    return history.write_down(message, requires=requires, sent_at=seq)


def apart(first_operation: str, second_operation: str) -> tuple[Instance, Instance]:
    """Two instances of which the first had ended when the second began."""
    first = Instance(first_operation, began=0, began_at=0)
    first.maybe_ended = 1
    return first, Instance(second_operation, began=1, began_at=10)


def ordered(table: str) -> set[tuple[str, str]]:
    """The pairs that the engine's own table orders without a condition."""
    return {
        (first.value, second.value)
        for first, row in TABLES[table].items()
        for second, sign in row.items()
        if sign == "x"
    }


def pairs(table: dict[str, str]) -> set[tuple[str, str]]:
    return {(first, second) for first, row in table.items() for second in row.split()}


def test_the_rules_written_here_say_what_the_engines_tables_say() -> None:
    assert pairs(SEND_SEND) == ordered("send-send, different conflicting instances")
    assert pairs(RECEIVE_SEND) == ordered("receive-send, same instance")
    assert pairs(RECEIVE_SEND_APART) == ordered("receive-send, different conflicting instances")


@pytest.mark.parametrize("first", TYPES)
@pytest.mark.parametrize("second", TYPES)
def test_what_one_instance_sends_is_always_ordered(first: str, second: str) -> None:
    instance = Instance("write", began=0, began_at=0)
    deed = Deed(made(History(), 1), first, instance, is_sent=True)
    assert comes_before(deed, Next(second, instance, None), meaning=MEANING)


def test_a_request_comes_before_its_own_response_whatever_they_carry() -> None:
    instance = Instance("read", began=0, began_at=0)
    request = made(History(), 1)
    deed = Deed(request, "NN", instance, is_sent=False)
    assert comes_before(deed, Next("N", instance, request), meaning=MEANING)
    assert not comes_before(deed, Next("N", instance, None), meaning=MEANING)


@pytest.mark.parametrize(
    ("operations", "is_before"),
    [(("write", "write"), True), (("read", "read"), False)],
)
def test_instances_apart_order_only_what_conflicts(
    operations: tuple[str, str], is_before: bool
) -> None:
    first, second = apart(*operations)
    deed = Deed(made(History(), 1), "IS", first, is_sent=True)
    assert comes_before(deed, Next("IS", second, None), meaning=MEANING) is is_before


def test_instances_that_overlap_order_nothing() -> None:
    first, second = apart("write", "write")
    first.maybe_ended = None
    deed = Deed(made(History(), 1), "IS", first, is_sent=True)
    assert not comes_before(deed, Next("IS", second, None), meaning=MEANING)


@pytest.mark.parametrize(("delta_us", "is_before"), [(9, True), (8, False)])
def test_what_was_done_more_than_delta_before_an_instance_began_is_left_out(
    delta_us: int, is_before: bool
) -> None:
    first, second = apart("write", "write")
    deed = Deed(made(History(), 1), "IS", first, is_sent=True)
    meaning = MEANING._replace(delta_us=delta_us)
    assert comes_before(deed, Next("IS", second, None), meaning=meaning) is is_before


def test_only_what_comes_before_directly_is_named() -> None:
    history = History()
    oldest = made(history, 1)
    middle = made(history, 2, requires=1 << oldest.slot)
    instance = Instance("write", began=0, began_at=0)
    deeds = [Deed(middle, "IS", instance, is_sent=True)]
    mask = required(deeds, Next("IS", instance, None), meaning=MEANING)
    assert history.names(mask) == "alice#1:2"
