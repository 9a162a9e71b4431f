"""Laws of the causal arrivals that are measured."""

from __future__ import annotations

from benchmarks.causal_arrivals import (
    CAUSAL_MEMBERS,
    CAUSAL_PIDS,
    KNOWN_AFTER,
    causal_batches,
    causal_conversation,
)
from ordering.stamps import CausalStamps

COUNT = 2_000


def test_a_vector_has_an_entry_for_every_member_and_counts_only_what_was_sent_before() -> None:
    sent = [1] * CAUSAL_MEMBERS
    for arrival in causal_conversation(COUNT):
        assert len(arrival.csn) == CAUSAL_MEMBERS
        assert all(known <= upcoming for known, upcoming in zip(arrival.csn, sent, strict=True))
        assert arrival.csn[arrival.sender] == arrival.seq
        sent[arrival.sender] += 1


def test_a_member_never_knows_less_than_before_and_not_less_than_stated() -> None:
    nothing: tuple[int, ...] = (1,) * CAUSAL_MEMBERS
    before = [nothing] * CAUSAL_MEMBERS
    for number, arrival in enumerate(causal_conversation(COUNT)):
        earlier = before[arrival.sender]
        assert all(now >= then for now, then in zip(arrival.csn, earlier, strict=True))
        assert sum(arrival.csn) - CAUSAL_MEMBERS >= number - KNOWN_AFTER
        before[arrival.sender] = arrival.csn


def test_jitter_changes_the_order_and_nothing_else() -> None:
    straight = list(causal_conversation(500))
    shaken = list(causal_conversation(500, jitter=50))
    assert shaken != straight
    assert sorted(shaken) == sorted(straight)


def test_every_message_carries_its_vector() -> None:
    arrivals = list(causal_conversation(25))
    made = [message for batch in causal_batches(arrivals, size=10) for message in batch]
    assert [(message.id.sender, message.id.seq) for message in made] == [
        (CAUSAL_PIDS[one.sender], one.seq) for one in arrivals
    ]
    assert [message.stamps for message in made] == [
        CausalStamps(CAUSAL_PIDS, one.csn) for one in arrivals
    ]
