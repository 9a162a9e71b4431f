"""Laws of choosing: exactly (what was delivered and is wanted) minus (what is had), in order."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import streaming.answering_choice as module
from ingest.wire.holdings import Holding
from ingest.wire.synchronisation import Request, Wanted
from ordering import runs as run
from ordering.values import MemberId, MessageId
from sinks.history import IndexPart
from streaming.answering_choice import Requester, choose, covered
from tests.streaming.recorded import (
    Recorded,
    conversation,
    naive_answer,
    naive_holdings,
    thread_of,
)


def chosen_ids(recorded: Recorded, request: Request, *, most: int = 10_000) -> list[object]:
    choice = choose(recorded, "g", request, most=most)
    ids = recorded.ids()
    return [ids[position - 1] for position in choice.positions]


@pytest.fixture(autouse=True, params=[3, 65_536])
def window(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Walks must not depend on how many links are looked at together."""
    monkeypatch.setattr(module, "WINDOW", request.param)


CASES = [(seed, share) for seed in range(12) for share in (0.0, 0.3, 0.9, 1.0)]


@pytest.mark.parametrize(("seed", "share"), CASES)
@pytest.mark.parametrize("wanted", list(Wanted))
def test_an_answer_is_what_is_wanted_minus_what_is_had(
    seed: int, share: float, wanted: Wanted
) -> None:
    rng = Random(seed)
    recorded = Recorded(conversation(seed, messages=30))
    ids = recorded.ids()
    have = {one for one in ids if rng.random() < share}
    root = rng.choice(ids)
    exactly = {one for one in ids if rng.random() < 0.2} | {("ghost#1", 4)}
    request = Request(
        naive_holdings(have),
        wanted,
        last=5 if wanted is Wanted.LAST else 0,
        maybe_thread=root if wanted is Wanted.THREAD else None,
        exactly=naive_holdings(exactly) if wanted is Wanted.EXACTLY else (),
    )
    chosen = {
        Wanted.EVERYTHING: set(ids),
        Wanted.LAST: set(ids[-5:]),
        Wanted.THREAD: thread_of(recorded, root),
        Wanted.NOTHING: set(),
        Wanted.EXACTLY: exactly,
    }[wanted]
    expected = naive_answer(
        recorded, have=have, chosen=chosen, with_ancestors=wanted is not Wanted.EVERYTHING
    )
    assert chosen_ids(recorded, request) == expected
    assert choose(recorded, "g", request).total == len(expected)


def test_an_answer_holds_the_first_of_what_is_lacking_and_counts_the_rest() -> None:
    recorded = Recorded(conversation(1, messages=50))
    for wanted in (Wanted.EVERYTHING, Wanted.LAST):
        request = Request((), wanted, last=40 if wanted is Wanted.LAST else 0)
        whole = choose(recorded, "g", request)
        part = choose(recorded, "g", request, most=10)
        assert part.positions == whole.positions[:10]
        assert part.total == len(whole.positions)


def test_what_there_is_is_told_as_runs() -> None:
    recorded = Recorded(conversation(2, messages=40))
    there = choose(recorded, "g", Request((), Wanted.NOTHING)).there
    assert naive_holdings(set(recorded.ids())) == tuple(
        Holding(sender, tuple(runs)) for sender, runs in sorted(there.items())
    )


def test_of_whom_nothing_is_said_nothing_is_given() -> None:
    recorded = Recorded(conversation(3, messages=40))
    request = Request((Holding("a#1", (1, 2), is_open=False),), Wanted.EVERYTHING, is_whole=False)
    assert chosen_ids(recorded, request) == []
    gap = Request((Holding("a#1", (1, 1, 3, 3), is_open=False),), Wanted.EVERYTHING, is_whole=False)
    assert chosen_ids(recorded, gap) == [("a#1", 2)]


def test_an_empty_group_and_an_unknown_thread_give_nothing() -> None:
    thread = Request((), Wanted.THREAD, maybe_thread=("nobody#1", 9))
    assert choose(Recorded([]), "g", thread).positions == []
    assert choose(Recorded(conversation(1, messages=9)), "g", thread).positions == []


RUNS = st.lists(st.integers(1, 30)).map(run.from_numbers)


@given(RUNS, st.lists(st.integers(1, 40)), st.booleans(), st.booleans())
@settings(
    max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_one_and_many_are_judged_alike(
    runs: list[int], numbers: list[int], is_open: bool, is_named: bool
) -> None:
    have = (Holding("a#1", tuple(runs), is_open=is_open),) if is_named else ()
    requester = Requester(Request(have, Wanted.EVERYTHING, is_whole=False))
    seqs = np.array(numbers, dtype=np.int64)
    part = IndexPart(["a#1"], np.zeros(len(seqs), dtype=np.int64), seqs, seqs)
    one_by_one = [requester.lacks(MessageId(MemberId("a#1"), number)) for number in numbers]
    assert requester.lacking(part).tolist() == one_by_one
    assert covered(seqs, runs).tolist() == [run.contains(runs, number) for number in numbers]
