"""Laws of the arrivals that are measured."""

from __future__ import annotations

from itertools import pairwise

import pytest

from benchmarks.arrivals import (
    ANSWERING,
    CLOSE,
    MEMBERS,
    NOBODY,
    RECENT,
    Arrival,
    backwards,
    conversation,
    in_order,
)

COUNT = 4_000


def sent_order(count: int, *, recent: int = RECENT) -> list[Arrival]:
    return list(conversation(count, jitter=0, recent=recent))


def ids(arrivals: list[Arrival]) -> list[tuple[int, int]]:
    return [(arrival.sender, arrival.seq) for arrival in arrivals]


def test_without_jitter_a_parent_is_one_of_the_last_hundred_sent() -> None:
    places = {(one.sender, one.seq): at for at, one in enumerate(sent_order(COUNT))}
    distances = [
        places[one.sender, one.seq] - places[one.parent_sender, one.parent_seq]
        for one in sent_order(COUNT)
        if one.parent_sender != NOBODY
    ]
    assert min(distances) == 1
    assert max(distances) == RECENT
    assert len(distances) / COUNT == pytest.approx(ANSWERING, abs=0.02)


def test_a_close_conversation_reaches_ten_back() -> None:
    arrivals = sent_order(COUNT, recent=CLOSE)
    places = {key: at for at, key in enumerate(ids(arrivals))}
    furthest = max(
        places[one.sender, one.seq] - places[one.parent_sender, one.parent_seq]
        for one in arrivals
        if one.parent_sender != NOBODY
    )
    assert furthest == CLOSE


@pytest.mark.parametrize("jitter", [2, 200, 5_000])
def test_jitter_moves_messages_by_at_most_as_many_places_and_loses_none(jitter: int) -> None:
    arrivals = list(conversation(COUNT, jitter=jitter))
    assert arrivals != sent_order(COUNT)
    assert sorted(arrivals) == sorted(sent_order(COUNT))
    sent_at = {key: at for at, key in enumerate(ids(sent_order(COUNT)))}
    latest = 0
    for key in ids(arrivals):
        # What overtook this one was sent at most `jitter` messages after it.
        assert latest - sent_at[key] <= jitter
        latest = max(latest, sent_at[key])


def test_all_members_speak_and_each_counts_from_one() -> None:
    for sender in range(MEMBERS):
        seqs = [one.seq for one in sent_order(COUNT) if one.sender == sender]
        assert seqs == list(range(1, len(seqs) + 1))
        assert len(seqs) > COUNT / MEMBERS / 2


def test_one_seed_gives_one_conversation() -> None:
    assert list(conversation(500, jitter=50)) == list(conversation(500, jitter=50))
    assert list(conversation(500, jitter=50)) != list(conversation(500, jitter=50, seed=2))


def test_in_order_every_message_answers_the_one_before() -> None:
    arrivals = list(in_order(12))
    assert arrivals[0] == Arrival(0, 1, NOBODY, 0)
    for before, after in pairwise(arrivals):
        assert (after.parent_sender, after.parent_seq) == (before.sender, before.seq)


def test_backwards_every_message_arrives_before_its_parent() -> None:
    arrivals = list(backwards(12))
    places = {key: at for at, key in enumerate(ids(arrivals))}
    assert arrivals[-1].parent_sender == NOBODY
    assert all(
        places[one.sender, one.seq] < places[one.parent_sender, one.parent_seq]
        for one in arrivals[:-1]
    )
