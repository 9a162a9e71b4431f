from ingest.wire.envelope import Envelope, Kind, encode
from members.delivering import Delivering, Fate
from members.events import Delivered, Effects
from members.holdings import Holdings
from members.limits import MemberLimits
from members.post import Post
from ordering.policy import GiveUp, GroupPolicy, Limits
from ordering.values import GroupId, MemberId, MessageId

DEV, ALICE, BOB = GroupId("dev"), MemberId("alice#1"), MemberId("bob#1")


def envelope(seq: int, *, parents: tuple[MessageId, ...] = ()) -> Envelope:
    return Envelope(Kind.MESSAGE, DEV, BOB, seq, parents, f"{seq}".encode(), 7)


def delivering(policy: GroupPolicy | None = None) -> Delivering:
    return Delivering(DEV, ALICE, policy or GroupPolicy(), post=Post())


def receive(one: Delivering, what: Envelope) -> tuple[Fate, list[MemberId], list[str]]:
    out = Effects()
    fate, waited_for = one.receive(what, encode(what), now=10, out=out)
    return fate, waited_for, [event.text for event in out.events if isinstance(event, Delivered)]


def test_an_answer_waits_for_what_it_answers_and_both_are_told_with_their_own_words() -> None:
    one = delivering()
    answer = envelope(2, parents=(MessageId(BOB, 1),))
    assert receive(one, answer) == (Fate.TAKEN, [BOB], [])
    assert one.needed(Holdings(MemberLimits())) == {BOB: [1, 1]}
    assert receive(one, envelope(1)) == (Fate.TAKEN, [], ["1", "2"])
    assert one.needed(Holdings(MemberLimits())) == {}


def test_what_was_received_is_not_needed_even_if_it_was_refused() -> None:
    one = delivering()
    receive(one, envelope(2, parents=(MessageId(BOB, 1),)))
    holdings = Holdings(MemberLimits())
    holdings.add(MessageId(BOB, 1))
    assert one.needed(holdings) == {}


def test_a_counted_order_needs_everything_up_to_there() -> None:
    one = delivering(GroupPolicy(discipline="fifo"))
    receive(one, envelope(4))
    assert one.needed(Holdings(MemberLimits())) == {BOB: [1, 3]}


def test_what_is_refused_for_want_of_room_may_come_again_and_a_bad_message_may_not() -> None:
    one = delivering(GroupPolicy(limits=Limits(held_per_sender=0)))
    assert receive(one, envelope(2, parents=(MessageId(BOB, 1),)))[0] is Fate.REFUSED
    own_parent = envelope(3, parents=(MessageId(BOB, 3),))
    assert receive(one, own_parent)[0] is Fate.REFUSED_FOR_GOOD


def test_a_group_that_releases_gives_up_in_time() -> None:
    one = delivering(GroupPolicy(give_up=GiveUp.RELEASE, after_us=5))
    receive(one, envelope(2, parents=(MessageId(BOB, 1),)))
    out = Effects()
    one.advance(now=14, out=out)
    assert out.events == []
    one.advance(now=100, out=out)
    (event,) = out.events
    assert isinstance(event, Delivered)
    assert event.marks


def test_positions_are_those_of_this_members_deliveries() -> None:
    one = delivering()
    out = Effects()
    for seq in (1, 2, 3):
        one.receive(envelope(seq), encode(envelope(seq)), now=10, out=out)
    assert [e.position for e in out.events if isinstance(e, Delivered)] == [1, 2, 3]


def test_a_new_pid_counts_from_one_again() -> None:
    one = delivering()
    assert one.stamp(dst=(), buf=0)[0] == (ALICE, 1)
    one.renew(MemberId("alice#2"), Holdings(MemberLimits()))
    assert one.stamp(dst=(), buf=0)[0] == ("alice#2", 1)


def test_what_waits_can_be_shown_with_what_it_waits_for() -> None:
    one = delivering()
    parent = MessageId(BOB, 1)
    assert one.held(most=10) == []
    for seq in (3, 2):
        receive(one, envelope(seq, parents=(parent,)))
    assert [(held.id.seq, held.waiting_for) for held in one.held(most=10)] == [
        (2, parent),
        (3, parent),
    ]
    assert len(one.held(most=1)) == 1
    receive(one, envelope(1))
    assert one.held(most=10) == []
