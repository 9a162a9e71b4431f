import pytest

from ingest.wire.envelope import Kind
from members.errors import OutboxFullError
from members.events import MemberFailed
from members.limits import MemberLimits
from members.reliability import engine_policy
from ordering.policy import Acceptance, GroupPolicy
from ordering.stamps import CausalStamps
from tests.members.company import DEV, Company, envelopes, is_message


def causal(
    *names: str, acceptance: Acceptance = Acceptance.FULL, limits: MemberLimits | None = None
) -> Company:
    company = Company(*names, limits=limits)
    policy = GroupPolicy(discipline="causal", acceptance=acceptance)
    first, *others = names
    manager = company.managers[first]
    company.perform(first, manager.create(DEV, policy=policy, now=company.now))
    for name in others:
        company.perform(name, company.managers[name].join(DEV, now=company.now))
    company.pass_time(2)
    return company


def test_at_full_a_message_is_told_when_everybody_is_known_to_have_it() -> None:
    company = causal("alice", "bob", "carol")
    company.say("alice", "hello")
    assert [company.heard(name) for name in ("alice", "bob", "carol")] == [[], [], []]
    company.pass_time(0.2)
    assert [company.heard(name) for name in ("alice", "bob", "carol")] == [["hello"]] * 3


def test_at_causal_it_is_told_at_once_and_confirmed_later_by_one_control_message_each() -> None:
    company = causal("alice", "bob", "carol", acceptance=Acceptance.CAUSAL)
    company.sent.clear()
    for at in range(5):
        company.say("alice", f"{at}")
    assert len(company.heard("carol")) == 5
    company.pass_time(0.2)
    controls = [one for one in envelopes(company.sent, Kind.MESSAGE) if not one.payload]
    assert sorted(one.sender for one in controls) == ["bob#1", "carol#1"]
    company.sent.clear()
    company.pass_time(60)
    assert not envelopes(company.sent, Kind.MESSAGE)


def test_who_answers_confirms_with_the_answer_and_sends_no_control_message() -> None:
    company = causal("alice", "bob", acceptance=Acceptance.CAUSAL)
    company.say("alice", "hello")
    company.sent.clear()
    company.say("bob", "hello yourself")
    company.pass_time(0.2)
    assert [one.sender for one in envelopes(company.sent, Kind.MESSAGE) if not one.payload] == [
        "alice#1"
    ]


def test_a_message_for_some_is_told_to_those_and_ordered_for_all() -> None:
    company = causal("alice", "bob", "carol", acceptance=Acceptance.CAUSAL)
    company.say("alice", "for bob", dst=("bob#1",))
    company.say("alice", "for all")
    assert company.heard("bob") == ["for bob", "for all"]
    assert company.heard("carol") == ["for all"]
    assert company.heard("alice") == ["for bob", "for all"]
    (stamps,) = {
        one.stamps for one in envelopes(company.sent, Kind.MESSAGE) if one.payload == b"for bob"
    }
    assert isinstance(stamps, CausalStamps)
    assert stamps.dst == ("bob#1",)
    assert dict(zip(stamps.members, stamps.lsn, strict=True))["bob#1"] == 1


def test_a_lost_confirmation_is_asked_for() -> None:
    company = causal("alice", "bob", "carol")
    company.loses = lambda source, _, __: source == "bob"
    company.say("alice", "hello")
    company.pass_time(3)
    assert company.heard("alice") == []
    company.loses = lambda *_: False
    company.pass_time(2)
    assert company.heard("alice") == ["hello"]


def test_a_lost_message_is_given_again_and_nothing_is_told_before() -> None:
    company = causal("alice", "bob", "carol")
    company.loses = lambda _, destination, datagram: destination == "carol" and is_message(datagram)
    company.say("alice", "hello")
    company.loses = lambda *_: False
    company.pass_time(0.05)
    assert company.heard("bob") == []
    company.pass_time(10)
    assert [company.heard(name) for name in ("alice", "bob", "carol")] == [["hello"]] * 3


def test_a_crashed_member_is_given_up_in_time_and_holds_up_nobody_after_that() -> None:
    company = causal("alice", "bob", "carol")
    del company.managers["carol"]
    company.say("alice", "hello")
    company.pass_time(5)
    assert company.heard("bob") == []
    company.pass_time(10)
    assert company.heard("bob") == ["hello"]
    assert company.told("alice", MemberFailed) == [
        MemberFailed(DEV, company.told("alice", MemberFailed)[0].member)
    ]
    company.say("alice", "and again")
    company.pass_time(0.5)
    assert company.heard("bob") == ["hello", "and again"]


def test_who_left_is_not_waited_for_at_all() -> None:
    company = causal("alice", "bob", "carol")
    company.perform("carol", company.managers["carol"].leave(DEV, now=company.now))
    company.say("alice", "hello")
    company.pass_time(0.2)
    assert company.heard("bob") == ["hello"]


def test_a_flood_waits_in_the_outbox_and_goes_out_as_the_others_confirm() -> None:
    limits = MemberLimits(window=4, outbox=20)
    company = causal("alice", "bob", limits=limits)
    sent = [company.say("alice", f"{at}").maybe_sent for at in range(20)]
    assert sum(one is not None for one in sent) == 4
    company.pass_time(5)
    assert company.heard("bob") == company.heard("alice") == [f"{at}" for at in range(20)]


def test_a_program_that_sends_without_end_is_told_so() -> None:
    company = causal("alice", "bob", limits=MemberLimits(window=1, outbox=2))
    company.loses = lambda *_: True
    for at in range(3):
        company.say("alice", f"{at}")
    with pytest.raises(OutboxFullError, match="2 messages wait"):
        company.say("alice", "one too many")


def test_the_engine_below_the_gate_waits_for_no_confirmation_itself() -> None:
    for gated, below in (
        (Acceptance.FULL, Acceptance.CAUSAL),
        (Acceptance.RELIABLE, Acceptance.SIMPLE),
        (Acceptance.CAUSAL, Acceptance.CAUSAL),
    ):
        policy = GroupPolicy(discipline="causal", acceptance=gated)
        assert engine_policy(policy).acceptance is below
