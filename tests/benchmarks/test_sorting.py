"""Laws of the sorts that the engine is compared with."""

from __future__ import annotations

import pytest

from benchmarks import sorting
from benchmarks.arrivals import conversation
from benchmarks.decoding import decoded
from benchmarks.sorting import sorts


@pytest.mark.parametrize("name", ["graphlib", "networkx"])
def test_a_sort_gives_every_message_once_and_parents_first(name: str) -> None:
    messages = decoded(conversation(1_000, jitter=100))
    given = sorts()[name](messages)
    places = {message.id: at for at, message in enumerate(given)}
    assert sorted(given) == sorted(messages)
    assert all(places[parent] < places[one.id] for one in given for parent in one.parents)


def test_without_networkx_the_standard_library_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sorting, "find_spec", lambda _: None)
    assert list(sorts()) == ["graphlib"]
