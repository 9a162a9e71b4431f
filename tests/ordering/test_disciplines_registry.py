"""Laws of the registry: every name has a discipline and a way in, and a wrong name says which."""

from __future__ import annotations

import pytest

from ordering.disciplines.registry import choose, names
from ordering.errors import UnknownDiscipline
from ordering.events import Event
from ordering.policy import GroupPolicy
from ordering.state import GroupState
from tests.ordering.messages import delivered, say


def test_the_names_of_the_disciplines_never_change() -> None:
    assert names() == (
        "none",
        "fifo",
        "semantic",
        "semantic+fifo",
        "causal",
        "significant",
        "objects",
        "total",
    )


@pytest.mark.parametrize("name", names())
def test_every_name_gives_a_discipline_and_a_way_that_delivers(name: str) -> None:
    policy = GroupPolicy(name)
    discipline, way = choose(policy)
    events: list[Event] = []
    way(GroupState(policy, discipline), [say("a1"), say("a2", "a1"), say("b1", "a2")], events)
    assert delivered(events) == "a1 a2 b1"


@pytest.mark.parametrize("name", ["", "Semantic", "fifo ", "causality"])
def test_an_unknown_name_is_refused_with_the_names_that_there_are(name: str) -> None:
    with pytest.raises(UnknownDiscipline) as refused:
        choose(GroupPolicy(name))
    assert refused.value.known == names()
    assert repr(name) in str(refused.value)
    assert ", ".join(names()) in str(refused.value)


def test_only_what_counts_a_sender_up_to_a_number_skips_what_it_gives_up() -> None:
    counting = {name for name in names() if choose(GroupPolicy(name))[0].counts}
    assert counting == {"fifo", "semantic+fifo", "causal", "significant", "objects"}
