"""What a causal sender stamps is exactly what it had accepted."""

from __future__ import annotations

from random import Random

from hypothesis import given, settings

from ordering.engine import Engine
from ordering.events import Delivered
from ordering.policy import Acceptance, GroupPolicy
from ordering.stamping.causal import CausalSender
from ordering.stamps import CausalStamps
from ordering.values import MemberId, Message, MessageId
from tests.ordering.worlds import NAMES, worlds

ALICE, BOB, CAROL = MemberId("alice#1"), MemberId("bob#1"), MemberId("carol#1")


def send(sender: CausalSender, *dst: str) -> Message:
    message_id, stamps = sender.stamp(dst=dst)
    return Message(message_id, (), b"", stamps)


def entries(message: Message, field: str) -> dict[str, int]:
    stamps = message.stamps
    assert isinstance(stamps, CausalStamps)
    return dict(zip(stamps.members, getattr(stamps, field), strict=True))


def test_what_was_accepted_comes_before_what_is_sent_next() -> None:
    alice, bob = CausalSender(ALICE), CausalSender(BOB)
    first, second = send(alice), send(alice)
    bob.accept(first)
    bob.accept(second)
    assert entries(send(bob), "csn") == {ALICE: 3, BOB: 1}


def test_what_an_accepted_message_counted_is_known_too() -> None:
    alice, bob, carol = CausalSender(ALICE), CausalSender(BOB), CausalSender(CAROL)
    bob.accept(send(alice))
    carol.accept(send(bob))
    assert entries(send(carol), "csn") == {ALICE: 2, BOB: 2, CAROL: 1}


def test_only_what_was_accepted_without_a_gap_is_acknowledged() -> None:
    alice, bob = CausalSender(ALICE), CausalSender(BOB)
    _, second = send(alice), send(alice)
    bob.accept(second)
    assert entries(send(bob), "ack")[ALICE] == 1
    assert bob.expected(ALICE) == 1


def test_what_has_come_is_acknowledged_though_it_waits_and_comes_before_nothing() -> None:
    alice, bob = CausalSender(ALICE), CausalSender(BOB)
    bob.receive(send(alice))
    message = send(bob)
    assert entries(message, "ack")[ALICE] == 2
    assert entries(message, "csn")[ALICE] == 1


def test_messages_to_each_member_are_counted_apart() -> None:
    alice = CausalSender(ALICE)
    send(alice, BOB)
    send(alice, BOB, CAROL)
    counts = entries(send(alice, BOB, CAROL), "lsn")
    assert (counts[BOB], counts[CAROL]) == (3, 2)


@settings(max_examples=40, deadline=None)
@given(rng=worlds())
def test_every_engine_delivers_what_was_stamped_in_causal_order(rng: Random) -> None:
    senders = {name: CausalSender(MemberId(name)) for name in NAMES}
    before: dict[MessageId, set[MessageId]] = {}
    past: dict[str, set[MessageId]] = {name: set() for name in NAMES}
    sent: list[Message] = []
    for _ in range(20):
        name = rng.choice(NAMES)
        for message in sent:
            is_next = message.id not in past[name] and before[message.id] <= past[name]
            if is_next and rng.random() < 0.5:
                senders[name].accept(message)
                past[name].add(message.id)
        message = send(senders[name])
        before[message.id] = set(past[name])
        past[name].add(message.id)
        sent.append(message)
    rng.shuffle(sent)
    events = Engine(GroupPolicy(discipline="causal")).receive_all(sent, now=0)
    order = [event.message.id for event in events if isinstance(event, Delivered)]
    assert len(order) == len(sent)
    for place, message_id in enumerate(order):
        assert before[message_id] <= set(order[:place])


def test_a_message_is_fully_accepted_once_all_it_is_for_have_confirmed_it() -> None:
    alice, bob, carol = CausalSender(ALICE), CausalSender(BOB), CausalSender(CAROL)
    policy = GroupPolicy(discipline="causal", acceptance=Acceptance.RELIABLE)
    engine = Engine(policy)
    first = send(alice, BOB, CAROL)
    assert engine.receive(first, now=0)[0] != Delivered(1, first)
    bob.receive(first)
    engine.receive(send(bob, ALICE), now=0)
    assert engine.delivered_count == 0
    carol.receive(first)
    events = engine.receive(send(carol, ALICE), now=0)
    assert Delivered(1, first) in events
