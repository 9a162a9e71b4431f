"""Laws of the definition of inter-object order."""

from __future__ import annotations

import pytest

from ordering.stamps import ObjectStamps
from ordering.values import MemberId, Message, MessageId
from simulation.definitions.objects import (
    is_nowhere_above,
    preceding,
    tell_those_who_count,
    vector_of,
)
from simulation.history import Entry, History

CONFLICTS = frozenset({("write", "write"), ("write", "read"), ("read", "write")})
WRITE_X = ObjectStamps(cid=0, iseq=1, operation="write", targets=("x",))


def made(history: History, sender: str, seq: int, stamps: ObjectStamps) -> Entry:
    message = Message(MessageId(MemberId(sender), seq), (), b"", stamps=stamps)
    return history.write_down(message, requires=0, sent_at=0)


def after(history: History, sender: str, stamps: ObjectStamps) -> str:
    found = preceding(sender, stamps=stamps, history=history, conflicts=CONFLICTS)
    return history.names(found.surely)


KNOWS_ALICE = ObjectStamps(
    cid=0,
    iseq=1,
    operation="read",
    targets=("x",),
    members=("alice#1",),
    vector=((0, 1, 1),),
)


@pytest.mark.parametrize(
    ("later", "before"),
    [
        (KNOWS_ALICE, "alice#1:1"),
        (KNOWS_ALICE._replace(targets=("y",)), "nothing"),
        (KNOWS_ALICE._replace(targets=()), "alice#1:1"),
        (KNOWS_ALICE._replace(operation="look"), "nothing"),
        (KNOWS_ALICE._replace(is_response=True), "nothing"),
        (KNOWS_ALICE._replace(members=(), vector=()), "nothing"),
    ],
)
def test_a_request_comes_after_a_conflicting_request_that_was_merged(
    later: ObjectStamps, before: str
) -> None:
    history = History()
    made(history, "alice#1", 1, WRITE_X)
    assert after(history, "bob#1", later) == before


def test_a_request_comes_after_a_response_that_was_merged() -> None:
    history = History()
    made(history, "alice#1", 1, WRITE_X._replace(is_response=True, targets=("z",)))
    assert after(history, "bob#1", KNOWS_ALICE) == "alice#1:1"


def test_of_one_object_lower_ids_come_first_and_siblings_are_not_ordered() -> None:
    history = History()
    made(history, "alice#1", 1, WRITE_X)
    made(history, "alice#1", 2, WRITE_X._replace(iseq=2))
    made(history, "alice#1", 3, WRITE_X._replace(iseq=2))
    assert after(history, "alice#1", WRITE_X._replace(iseq=2)) == "alice#1:1"
    later = WRITE_X._replace(cid=1, iseq=3)
    assert after(history, "alice#1", later) == "alice#1:1, alice#1:2, alice#1:3"


def test_vectors_are_compared_entry_by_entry() -> None:
    assert is_nowhere_above({"a": (0, 1)}, {"a": (0, 1), "b": (3, 3)})
    assert not is_nowhere_above({"a": (0, 2)}, {"a": (0, 1)})
    assert not is_nowhere_above({"a": (0, 1)}, {"b": (0, 1)})
    entry = made(History(), "bob#1", 1, KNOWS_ALICE)
    assert vector_of(entry) == {"alice#1": (0, 1), "bob#1": (0, 1)}


def test_a_message_of_another_thread_only_perhaps_comes_before() -> None:
    history = History()
    other_thread = WRITE_X._replace(members=("dave#1",), vector=((0, 9, 9),))
    made(history, "alice#1", 1, other_thread)
    found = preceding("bob#1", stamps=KNOWS_ALICE, history=history, conflicts=CONFLICTS)
    assert found.surely == 0
    assert history.names(found.perhaps) == "alice#1:1"


def test_who_counts_an_id_may_wait_for_a_sibling_that_is_sent_later() -> None:
    history = History()
    made(history, "alice#1", 1, WRITE_X)
    counting = made(history, "bob#1", 1, KNOWS_ALICE)
    sibling = made(history, "alice#1", 2, WRITE_X)
    tell_those_who_count(sibling, history=history, conflicts=CONFLICTS)
    assert history.entries[counting.number].awaits == 1 << sibling.slot
