"""Shards are the partitions of all raw topics, counted through, and their numbers never change."""

from __future__ import annotations

import pytest

from sinks.shards import Place, Shards, parse_raw_topics


def test_partitions_are_counted_through_the_topics() -> None:
    shards = Shards.of({"north": 4, "south": 2})
    assert shards.number_of_shards == 6
    assert [shards.place(number)[:2] for number in range(6)] == [
        ("north", 0), ("north", 1), ("north", 2), ("north", 3), ("south", 0), ("south", 1),
    ]  # fmt: skip
    assert shards.place(5) == Place("south", 1, 2)
    assert shards.number("south", 1) == 5
    with pytest.raises(IndexError):
        shards.place(6)
    assert shards.firsts() == {"north": 0, "south": 4}


def test_a_topic_that_is_added_changes_no_number() -> None:
    few, more = Shards.of({"north": 4}), Shards.of({"north": 4, "south": 2})
    assert [more.place(number) for number in range(4)] == [few.place(n) for n in range(4)]


def test_a_text_that_is_no_topic_or_comes_twice_is_refused() -> None:
    assert parse_raw_topics(("a.raw=4", "b=1")) == {"a.raw": 4, "b": 1}
    for wrong in ("a.raw", "a.raw=0", "a.raw=x", "=4x"):
        with pytest.raises(ValueError, match="no raw topic"):
            parse_raw_topics((wrong,))
    with pytest.raises(ValueError, match="twice"):
        parse_raw_topics(("a=1", "a=2"))
