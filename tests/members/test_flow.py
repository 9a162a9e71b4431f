from members.confirming import Confirming
from members.flow import Flow
from members.group_table import Group, Order
from members.limits import MemberLimits, Pace
from ordering.policy import Acceptance
from ordering.stamps import CausalStamps
from ordering.values import GroupId, MemberId

ALICE, BOB, CAROL = MemberId("alice#1"), MemberId("bob#1"), MemberId("carol#1")
OTHERS = (BOB, CAROL)
LIMITS = MemberLimits(window=4, buffers=1_000, buffer_share=2)


class Setting:
    def __init__(self, limits: MemberLimits = LIMITS) -> None:
        group = Group(GroupId("dev"), description="", order=Order("causal", "full"))
        self.confirming = Confirming(Acceptance.FULL, group=group, limits=limits, pace=Pace())
        self.flow = Flow(self.confirming, limits=limits)
        self.flow.meet(OTHERS, next_seq=1)

    def ack(self, member: MemberId, expected: int, *, buf: int = 1_000) -> None:
        self.confirming.hear(member, CausalStamps((ALICE,), (1,), ack=(expected,), buf=buf))

    def may_send(self, next_seq: int) -> bool:
        return self.flow.may_send(ALICE, OTHERS, next_seq=next_seq)


def test_a_window_of_messages_goes_out_and_no_more_until_the_slowest_confirms() -> None:
    setting = Setting()
    assert [setting.may_send(seq) for seq in range(1, 7)] == [True] * 4 + [False] * 2
    setting.ack(BOB, 5)
    assert not setting.may_send(5)
    assert setting.flow.waited_for(ALICE, OTHERS, next_seq=5) == {CAROL}
    setting.ack(CAROL, 3)
    assert setting.may_send(6)
    assert not setting.may_send(7)


def test_the_fewest_free_buffers_bound_what_goes_out() -> None:
    setting = Setting()
    setting.ack(BOB, 1, buf=12)
    assert setting.flow.allowed(OTHERS) == 12 // (2 * 3)
    setting.ack(BOB, 1, buf=0)
    assert not setting.may_send(1)


def test_a_failed_member_holds_up_nobody() -> None:
    setting = Setting()
    setting.ack(BOB, 20)
    assert not setting.may_send(10)
    setting.confirming.failed.add(CAROL)
    assert setting.may_send(10)


def test_a_newcomer_need_not_confirm_what_was_sent_before_it_came() -> None:
    setting = Setting()
    dave = MemberId("dave#1")
    setting.flow.meet((dave,), next_seq=100)
    assert setting.flow.may_send(ALICE, (dave,), next_seq=103)
    assert not setting.flow.may_send(ALICE, (dave,), next_seq=104)


def test_who_is_alone_may_always_send() -> None:
    assert Setting().flow.may_send(ALICE, (), next_seq=1_000)
