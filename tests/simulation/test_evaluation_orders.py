"""Laws of the orders compared: what each message must follow, on the example of the module."""

from __future__ import annotations

from ordering.stamps import CausalStamps
from ordering.values import MemberId, Message, MessageId
from simulation.evaluation.orders import Order, prepare
from simulation.evaluation.records import Sent

ALICE, BOB, CAROL = (MemberId(f"{name}#1") for name in ("alice", "bob", "carol"))


def sent(
    sender: MemberId,
    seq: int,
    *parents: MessageId,
    clock: tuple[tuple[MemberId, int], ...] = (),
) -> Sent:
    return Sent(MessageId(sender, seq), parents, 0, 0, None, clock, is_linked=True)


GROUP = [
    sent(ALICE, 1),
    sent(BOB, 1, MessageId(ALICE, 1)),
    sent(CAROL, 1),
    sent(ALICE, 2, MessageId(CAROL, 1)),
]


def follows(message: Message) -> dict[MemberId, int]:
    assert isinstance(message.stamps, CausalStamps)
    entries = zip(message.stamps.members, message.stamps.csn, strict=True)
    return {MemberId(name): following - 1 for name, following in entries}


def test_sb_follows_parents_and_total_follows_the_message_sent_before() -> None:
    semantic = prepare(GROUP, Order.SEMANTIC)
    total = prepare(GROUP, Order.TOTAL)
    assert [m.parents for m in semantic.messages] == [s.parents for s in GROUP]
    assert [m.parents for m in total.messages] == [(), *((s.id,) for s in GROUP[:-1])]


def test_known_links_are_the_parents_and_what_those_follow() -> None:
    prepared = prepare(GROUP, Order.CAUSAL_LINKS)
    assert [follows(message) for message in prepared.messages] == [
        {},
        {ALICE: 1},
        {},
        {CAROL: 1},
    ]


def test_all_seen_is_everything_sent_before() -> None:
    prepared = prepare(GROUP, Order.CAUSAL_ALL)
    assert follows(prepared.messages[-1]) == {BOB: 1, CAROL: 1}
    assert prepared.stamp_entries == 0 + 1 + 2 + 3


def test_what_the_senders_message_before_has_named_is_not_stamped_again() -> None:
    again = [*GROUP, sent(BOB, 2), sent(ALICE, 3)]
    prepared = prepare(again, Order.CAUSAL_ALL)
    assert follows(prepared.messages[-2]) == {ALICE: 2, CAROL: 1}
    assert follows(prepared.messages[-1]) == {BOB: 2}


def test_links_are_followed_through_other_members() -> None:
    chain = [
        sent(ALICE, 1),
        sent(BOB, 1, MessageId(ALICE, 1)),
        sent(CAROL, 1, MessageId(BOB, 1)),
    ]
    prepared = prepare(chain, Order.CAUSAL_LINKS)
    assert follows(prepared.messages[-1]) == {ALICE: 1, BOB: 1}


def test_a_recorded_vector_clock_is_taken_as_it_is() -> None:
    clock = ((ALICE, 3), (BOB, 2), (CAROL, 0))
    prepared = prepare([sent(BOB, 2, clock=clock)], Order.CAUSAL_LINKS)
    assert follows(prepared.messages[0]) == {ALICE: 3}
