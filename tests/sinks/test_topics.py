"""The topics' names."""

from __future__ import annotations

from sinks.topics import TOPIC_MEANINGS, Topics


def test_every_topic_has_the_prefix() -> None:
    assert Topics.with_prefix("floor") == (
        "floor.raw",
        "floor.ordered",
        "floor.quarantine",
        "floor.counters",
        "floor.waits",
        "floor.gaps",
        "floor.requests",
        "floor.answers",
        "floor.membership",
    )


def test_every_topic_says_what_it_holds() -> None:
    assert tuple(TOPIC_MEANINGS) == Topics._fields
