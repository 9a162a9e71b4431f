"""The topics' names."""

from __future__ import annotations

from sinks.topics import Topics


def test_every_topic_has_the_prefix() -> None:
    assert Topics.with_prefix("floor") == (
        "floor.raw",
        "floor.ordered",
        "floor.quarantine",
        "floor.counters",
    )
