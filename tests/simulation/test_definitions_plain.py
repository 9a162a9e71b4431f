"""Laws of the orders that a message names itself."""

from __future__ import annotations

import pytest

from ordering.values import MemberId, MessageId
from simulation.definitions.plain import named_by
from simulation.history import History


@pytest.mark.parametrize(
    ("discipline", "named"),
    [
        ("none", []),
        ("total", []),
        ("fifo", ["alice#1:1"]),
        ("semantic", ["bob#1:7"]),
        ("semantic+fifo", ["alice#1:1", "bob#1:7"]),
    ],
)
def test_what_a_message_names_follows_from_the_discipline(
    discipline: str, named: list[str]
) -> None:
    history = History()
    history.slot_of(MessageId(MemberId("alice#1"), 1))
    parents = (MessageId(MemberId("bob#1"), 7),)
    message_id = MessageId(MemberId("alice#1"), 2)
    before = named_by(message_id, parents=parents, discipline=discipline, history=history)
    assert history.names(before.requires) == (", ".join(named) or "nothing")
