"""An engine that goes on from a snapshot of an earlier format does as if it had never stopped."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from ordering.earlier_snapshots import COLUMNS, RECORDS, upgraded
from ordering.engine import Engine
from ordering.past_deliveries import DIGEST_BYTES
from ordering.snapshots import FORMAT
from tests.ordering.messages import policy_for
from tests.ordering.test_snapshots import story

RECENT = 7


def as_records(snapshot: list[Any]) -> list[Any]:
    """Write a snapshot as the first format had it."""
    times, senders, seqs, digests = snapshot[RECENT]
    instants = [at for at, count in zip(times[::2], times[1::2], strict=True) for _ in range(count)]
    first = snapshot[3] - len(seqs) + 1
    records = [
        [first + n, sender, seq, digests[n * DIGEST_BYTES : (n + 1) * DIGEST_BYTES], at]
        for n, (sender, seq, at) in enumerate(zip(senders, seqs, instants, strict=True))
    ]
    return [RECORDS, *snapshot[1:RECENT], records, *snapshot[RECENT + 1 :]]


@pytest.mark.parametrize("discipline", ["semantic", "fifo", "causal"])
def test_an_engine_goes_on_from_the_first_format_as_from_todays(discipline: str) -> None:
    assert FORMAT == COLUMNS, "a new format needs a way from the last one"
    policy = policy_for(discipline)
    for seed in range(8):
        history = story(discipline, Random(seed))
        engine = Engine(policy)
        half = len(history) // 2
        for message, now in history[:half]:
            engine.receive(message, now=now)
        today = engine.snapshot()
        earlier = as_records(today)
        assert upgraded(earlier) == today
        kept, upgraded_one = Engine.restore(policy, today), Engine.restore(policy, earlier)
        for message, now in history[:half] + history[half:]:
            later = max(now, history[-1][1])
            assert upgraded_one.receive(message, now=later) == kept.receive(message, now=later)


def test_todays_format_and_what_is_none_are_left_alone() -> None:
    today = Engine(policy_for()).snapshot()
    assert upgraded(today) is today
    assert upgraded([]) == []
    assert upgraded([99]) == [99]
