"""A replay is what the job would have written, in any batching."""

from __future__ import annotations

import pytest

from console.answers import replaying
from console.answers.log_file import LogRecord
from console.answers.replaying import Replay
from sinks.records import decode_ordered
from tests.console.shop import SEMANTIC, replay_shop
from tests.conversations import shuffled_conversation
from tests.oracle import semantic_order


def test_a_log_comes_to_the_order_of_the_oracle_in_any_batches(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    log = shuffled_conversation(seed=3, groups=4, messages=400)
    expected = semantic_order(log)
    for size in (1, 7, 5_000):
        monkeypatch.setattr(replaying, "ROWS_AT_ONCE", size)
        found: dict[str, list[bytes]] = {}
        replay = Replay(SEMANTIC)
        for part in replay.of_file(LogRecord(n, value) for n, value in enumerate(log)):
            for key, value in part.ordered:
                found.setdefault(key.decode(), []).append(decode_ordered(value).envelope)
        assert found == expected


def test_at_the_end_everyone_who_waits_is_told_and_nothing_is_given_up() -> None:
    replay, parts = replay_shop()
    counters = replay.counters()
    assert (counters.captured, counters.delivered, counters.held) == (14, 8, 3)
    assert (counters.duplicates, counters.quarantined, counters.groups) == (1, 2, 2)
    assert sum(len(part.waits) for part in parts) == counters.waits == 5
