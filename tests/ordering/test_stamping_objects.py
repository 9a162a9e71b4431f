"""Threads, receipts and vectors of objects that call each other."""

from __future__ import annotations

import pytest

from ordering.errors import EngineFault
from ordering.stamping.objects import CallingObject, Receipt, ReceiptKind, Thread
from ordering.stamps import ObjectStamps
from ordering.values import MemberId, Message, MessageId

ALICE, BOB, CAROL = MemberId("alice#1"), MemberId("bob#1"), MemberId("carol#1")


def said(stamped: tuple[MessageId, ObjectStamps]) -> Message:
    message_id, stamps = stamped
    return Message(message_id, (), b"", stamps)


def stamps_of(message: Message) -> ObjectStamps:
    assert isinstance(message.stamps, ObjectStamps)
    return message.stamps


def vector(stamps: ObjectStamps) -> dict[str, tuple[int, int, int]]:
    return dict(zip(stamps.members, stamps.vector, strict=True))


def answered(name: MemberId, request: Message) -> Message:
    thread = CallingObject(name).begin(request)
    return said(thread.respond())


def test_each_call_takes_the_next_place_and_a_pcast_takes_one_for_all() -> None:
    thread = CallingObject(ALICE).begin()
    first = thread.ucast("read", BOB)[1]
    sides = [stamps for _, stamps in thread.pcast([("read", [BOB]), ("write", [CAROL])])]
    last = thread.mcast("note", [BOB, CAROL])[1]
    assert [one.iseq for one in (first, *sides, last)] == [1, 2, 2, 3]
    assert [one.cast for one in (first, *sides, last)] == ["ucast", "pcast", "pcast", "mcast"]
    assert last.targets == (BOB, CAROL)


def test_ids_of_messages_count_on_whatever_is_sent() -> None:
    thread = CallingObject(ALICE).begin()
    ids = [message_id for message_id, _ in thread.pcast([("read", [BOB]), ("read", [CAROL])])]
    assert ids == [MessageId(ALICE, 1), MessageId(ALICE, 2)]


def test_threads_that_run_together_are_compatible_and_later_ones_are_not() -> None:
    alice = CallingObject(ALICE)
    first, second = alice.begin(), alice.begin()
    first.commit()
    third = alice.begin()
    assert [thread.ucast("read", BOB)[1].cid for thread in (first, second, third)] == [0, 0, 0]
    second.commit()
    third.commit()
    assert alice.begin().ucast("read", BOB)[1].cid == 1


def test_a_response_takes_the_next_place_of_its_own_object_and_knows_its_request() -> None:
    thread = CallingObject(ALICE).begin()
    thread.ucast("read", CAROL)
    request = said(thread.ucast("read", BOB))
    response = stamps_of(answered(BOB, request))
    assert (response.is_response, response.iseq) == (True, 1)
    assert vector(response) == {ALICE: (0, 2, 2)}


def test_ids_rise_in_the_order_of_sending_whichever_thread_sends() -> None:
    alice = CallingObject(ALICE)
    first, second = alice.begin(), alice.begin()
    sent = [first.ucast("read", BOB), second.ucast("read", BOB), first.ucast("read", BOB)]
    second.commit()
    sent.append(first.mcast("read", [BOB, CAROL]))
    first.commit()
    sent.append(alice.begin().ucast("read", BOB))
    ids = [(stamps.cid, stamps.iseq) for _, stamps in sent]
    assert ids == sorted(set(ids))


def test_a_thread_that_nobody_asked_has_no_response() -> None:
    with pytest.raises(EngineFault, match="was not asked"):
        CallingObject(ALICE).begin().respond()


def asked_two(receipt: ReceiptKind) -> tuple[Thread, Receipt, list[Message]]:
    thread = CallingObject(ALICE).begin()
    requests = [said(one) for one in thread.pcast([("read", [BOB]), ("read", [CAROL])])]
    both = zip((BOB, CAROL), requests, strict=True)
    responses = [answered(name, request) for name, request in both]
    return thread, Receipt(receipt, [BOB, CAROL]), responses


def test_a_conjunctive_receipt_counts_when_the_last_has_come() -> None:
    thread, receipt, (first, second) = asked_two(ReceiptKind.CONJUNCTIVE)
    assert not thread.receive(receipt, second)
    assert set(thread.known) == set()
    assert thread.receive(receipt, first)
    assert {BOB, CAROL} <= set(thread.known)


@pytest.mark.parametrize("kind", [ReceiptKind.DISJUNCTIVE, ReceiptKind.SINGLE])
def test_of_a_disjunctive_receipt_only_the_first_counts(kind: ReceiptKind) -> None:
    thread, receipt, (first, second) = asked_two(kind)
    assert thread.receive(receipt, second)
    assert not thread.receive(receipt, first)
    assert CAROL in thread.known
    assert BOB not in thread.known


def test_a_receipt_takes_nothing_from_strangers_and_nothing_twice() -> None:
    receipt = Receipt(ReceiptKind.CONJUNCTIVE, [BOB, CAROL])
    stranger = Message(MessageId(ALICE, 1), (), b"", ObjectStamps(0, 1))
    bob = Message(MessageId(BOB, 1), (), b"", ObjectStamps(0, 1))
    assert not receipt.offer(stranger)
    assert not receipt.offer(bob)
    assert not receipt.offer(bob)
    assert receipt.counted() == []


def test_an_object_knows_what_its_threads_learned_once_they_commit() -> None:
    bob = CallingObject(BOB)
    thread = bob.begin(said(CallingObject(ALICE).begin().ucast("write", BOB)))
    assert bob.known == {}
    thread.commit()
    assert vector(bob.begin().ucast("read", CAROL)[1]) == {ALICE: (0, 1, 1)}
