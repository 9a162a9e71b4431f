import pytest

from ingest.wire.holdings import Holding
from members.confirming import Confirming, audience_of, is_control
from members.events import Delivered
from members.group_table import Group, Order
from members.limits import MemberLimits, Pace
from ordering.policy import Acceptance
from ordering.stamps import CausalStamps
from ordering.values import GroupId, MemberId, MessageId

DEV = GroupId("dev")
ALICE, BOB, CAROL = MemberId("alice#1"), MemberId("bob#1"), MemberId("carol#1")
PACE = Pace()
ALL = (ALICE, BOB, CAROL)


def confirming(acceptance: Acceptance = Acceptance.FULL) -> Confirming:
    group = Group(DEV, description="", order=Order("causal", acceptance.value))
    for pid in ALL:
        group.merge(pid, is_left=False, limit=10)
    return Confirming(acceptance, group=group, limits=MemberLimits(), pace=PACE)


def event(sender: MemberId, seq: int) -> Delivered:
    return Delivered(DEV, MessageId(sender, seq), (), b"hi", 0, 0)


def stamps(*acks: tuple[MemberId, int], dst: tuple[str, ...] = ()) -> CausalStamps:
    members = tuple(member for member, _ in acks)
    numbers = tuple(number for _, number in acks)
    return CausalStamps(members, csn=numbers, ack=numbers, dst=dst, buf=9)


def ids(events: list[Delivered]) -> list[tuple[str, int]]:
    return [(one.id.sender, one.id.seq) for one in events]


def test_a_message_passes_when_everyone_is_known_to_have_it() -> None:
    one = confirming()
    assert one.accept(event(BOB, 1), stamps((BOB, 1)), own=ALICE) == []
    assert one.waited_for() == {CAROL}
    one.hear(CAROL, stamps((BOB, 2)))
    assert ids(one.release()) == [(BOB, 1)]
    assert one.waiting == 0
    assert one.buffers[CAROL] == 9


def test_a_telling_of_holdings_confirms_what_is_there_without_a_gap() -> None:
    one = confirming()
    one.accept(event(BOB, 3), stamps((BOB, 3)), own=ALICE)
    one.hear_holdings(CAROL, [Holding(BOB, (1, 2, 4, 9))])
    assert one.release() == []
    one.hear_holdings(CAROL, [Holding(BOB, (1, 9))])
    assert ids(one.release()) == [(BOB, 3)]


@pytest.mark.parametrize(
    ("acceptance", "expected"),
    [
        (Acceptance.FULL, []),
        (Acceptance.CONTINUOUSLY_RELIABLE, [(ALICE, 1)]),
        (Acceptance.RELIABLE, [(ALICE, 1), (BOB, 2)]),
        (Acceptance.CAUSAL, [(BOB, 1), (ALICE, 1), (BOB, 2)]),
    ],
)
def test_each_level_passes_the_gate_in_its_own_order(
    acceptance: Acceptance, expected: list[tuple[str, int]]
) -> None:
    one = confirming(acceptance)
    only_carol = stamps((BOB, 1), dst=(CAROL,))
    passed = one.accept(event(BOB, 1), only_carol, own=ALICE)
    passed += one.accept(event(ALICE, 1), stamps((ALICE, 1), dst=(ALICE,)), own=ALICE)
    passed += one.accept(event(BOB, 2), stamps((BOB, 2), dst=(ALICE,)), own=ALICE)
    assert ids(passed) == expected


def test_who_was_waited_for_in_vain_fails_until_it_confirms_something() -> None:
    one = confirming()
    one.accept(event(BOB, 1), stamps((BOB, 1)), own=ALICE)
    assert one.suspect(one.waited_for(), now=0) == []
    assert one.suspect(one.waited_for(), now=PACE.suspect_after_us - 1) == []
    assert one.suspect(one.waited_for(), now=PACE.suspect_after_us) == [CAROL]
    assert ids(one.release()) == [(BOB, 1)]
    assert not one.is_counted(CAROL)
    one.hear(CAROL, stamps((ALICE, 5)))
    assert one.is_counted(CAROL)


def test_who_left_or_came_back_is_not_waited_for() -> None:
    one = confirming()
    one.accept(event(BOB, 1), stamps((BOB, 1)), own=ALICE)
    one._group.merge(CAROL, is_left=True, limit=10)
    assert ids(one.release()) == [(BOB, 1)]


def test_a_confirmation_waits_for_a_message_to_travel_on() -> None:
    one = confirming()
    assert one.confirms_at() is None
    one.owe(now=100)
    one.owe(now=150)
    assert one.confirms_at() == 100 + PACE.confirm_after_us
    one.confirmed()
    assert one.confirms_at() is None


def test_a_control_message_has_no_content_and_is_for_nobody() -> None:
    message_id = MessageId(ALICE, 1)
    assert is_control(message_id, stamps((ALICE, 1), dst=(ALICE,)), b"")
    assert not is_control(message_id, stamps((ALICE, 1), dst=(ALICE,)), b"hi")
    assert not is_control(message_id, stamps((ALICE, 1), dst=(BOB,)), b"")
    assert not is_control(message_id, None, b"")
    assert audience_of(message_id, stamps((ALICE, 1), (BOB, 1))) == (BOB,)
    assert audience_of(message_id, None) == ()


def test_made_up_names_do_not_widen_the_matrix_without_bound() -> None:
    group = Group(DEV, description="", order=Order("causal", "full"))
    limits = MemberLimits(members_per_group=3)
    one = Confirming(Acceptance.FULL, group=group, limits=limits, pace=PACE)
    for at in range(20):
        nobody = MemberId(f"nobody-{at}#1")
        one.hear(nobody, stamps(*((MemberId(f"m{n}#1"), 5) for n in range(20))))
    assert len(one._expects) == 3
    assert max(len(row) for row in one._expects.values()) == 3
    assert len(one.buffers) == 3
