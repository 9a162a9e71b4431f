from members.stamping import make_stamper
from ordering.stamps import CausalStamps
from ordering.values import MemberId, Message, MessageId

ALICE, BOB = MemberId("alice#1"), MemberId("bob#1")


def test_a_plain_group_counts_from_one_and_stamps_nothing() -> None:
    stamper = make_stamper("semantic", ALICE)
    stamper.accept(Message(MessageId(BOB, 1), (), b""))
    assert [stamper.stamp(dst=(), buf=0) for _ in range(2)] == [
        (MessageId(ALICE, 1), None),
        (MessageId(ALICE, 2), None),
    ]


def test_a_causal_group_stamps_what_was_accepted() -> None:
    stamper = make_stamper("causal", ALICE)
    stamper.accept(Message(MessageId(BOB, 1), (), b""))
    message_id, stamps = stamper.stamp(dst=(BOB,), buf=7)
    assert message_id == (ALICE, 1)
    assert isinstance(stamps, CausalStamps)
    assert dict(zip(stamps.members, stamps.csn, strict=True)) == {BOB: 2, ALICE: 1}
    assert (stamps.dst, stamps.buf) == ((BOB,), 7)


def test_a_new_start_knows_what_was_delivered_before() -> None:
    stamper = make_stamper("causal", ALICE, accepted=[(BOB, [1, 3])])
    _, stamps = stamper.stamp(dst=(), buf=0)
    assert isinstance(stamps, CausalStamps)
    assert dict(zip(stamps.members, stamps.ack, strict=True))[BOB] == 4
