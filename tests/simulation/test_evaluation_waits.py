"""Laws of counting waits: who waits, how long, for whom, on groups small enough to see."""

from __future__ import annotations

from ordering.policy import GroupPolicy
from ordering.values import MemberId, Message, MessageId
from simulation.evaluation.waits import Ancestry, Arrival, Cause, Wait, run_group

A, B, C, NEVER = (MessageId(MemberId(f"{name}#1"), 1) for name in ("a", "b", "c", "never"))
SEMANTIC = GroupPolicy(discipline="semantic")


def test_a_message_waits_from_its_arrival_to_that_of_the_last_missing_one() -> None:
    messages = [Message(A, (), b""), Message(B, (), b""), Message(C, (A,), b"")]
    arrivals = [Arrival(10, 2), Arrival(20, 1), Arrival(35, 0)]
    run = run_group(SEMANTIC, messages, arrivals)
    assert sorted(run.waits) == [
        Wait(0, 0, 0, None, is_delivered=True),
        Wait(1, 0, 0, None, is_delivered=True),
        Wait(2, 2, 25, 0, is_delivered=True),
    ]
    assert run.most_held == 1


def test_a_message_whose_parent_never_comes_waits_to_the_end_undelivered() -> None:
    messages = [Message(A, (), b""), Message(B, (NEVER,), b"")]
    run = run_group(SEMANTIC, messages, [Arrival(10, 1), Arrival(50, 0)])
    assert Wait(1, 2, 40, None, is_delivered=False) in run.waits


def test_the_cause_of_a_wait_is_an_ancestor_the_senders_own_or_unrelated() -> None:
    own_earlier = MessageId(C.sender, 2)
    ids = [A, B, C, own_earlier]
    ancestry = Ancestry(ids, [[], [A], [B, NEVER], []])
    assert ancestry.cause(2, 0) is Cause.ANCESTOR
    assert ancestry.cause(2, 1) is Cause.ANCESTOR
    assert ancestry.cause(2, 3) is Cause.OWN
    assert ancestry.cause(1, 2) is Cause.UNRELATED
