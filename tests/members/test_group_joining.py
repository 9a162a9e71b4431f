from ingest.wire.envelope import Envelope, Kind, encode
from ingest.wire.management import GroupInfo, GroupsInfo, Leave, encode_management
from members.events import GroupSeen, MemberJoined, MemberLeft
from members.limits import MemberLimits
from members.refusals import Refusal
from ordering.values import GroupId, MemberId
from tests.members.company import DEV, Company


def info(*current: str, left: tuple[str, ...] = (), group: str = "dev") -> bytes:
    body = GroupsInfo((GroupInfo(group, "", "semantic", "causal", current, left),))
    payload = encode_management(body)
    sender = MemberId("stranger#1")
    return encode(Envelope(Kind.GROUP_MANAGEMENT, GroupId("*"), sender, 1, payload=payload))


def members_of(company: Company, name: str) -> tuple[set[str], set[str]]:
    group = company.managers[name].memberships[DEV].group
    return set(group.current()), set(group.left())


def test_a_newcomer_hears_of_all_groups_by_advertising() -> None:
    company = Company("alice", "bob")
    company.perform("alice", company.managers["alice"].create(DEV, now=company.now))
    late = company.start("carol")
    company.perform("carol", late.advertise(now=company.now))
    company.pass_time(1)
    (seen,) = company.told("carol", GroupSeen)
    assert (seen.group, seen.members) == (DEV, ("alice#1",))


def test_an_advertisement_is_answered_once_however_many_hear_it() -> None:
    company = Company("alice", "bob", "carol", "dave")
    company.gather()
    company.pass_time(20)
    company.start("erin")
    company.sent.clear()
    company.perform("erin", company.managers["erin"].advertise(now=company.now))
    company.pass_time(1)
    answers = [sent for sent in company.sent if sent[0] != "erin"]
    assert len(answers) == 1


def test_a_refused_group_is_not_told_again_until_the_next_advertisement() -> None:
    company = Company("alice")
    alice = company.managers["alice"]
    company.perform("alice", alice.receive(info("bob#1"), now=company.now))
    alice.refuse(DEV)
    company.perform("alice", alice.receive(info("bob#1", "carol#1"), now=company.now))
    assert len(company.told("alice", GroupSeen)) == 1
    company.perform("alice", alice.advertise(now=company.now))
    company.perform("alice", alice.receive(info("bob#1"), now=company.now))
    assert len(company.told("alice", GroupSeen)) == 2


def test_who_left_is_left_for_all_and_can_come_back() -> None:
    company = Company("alice", "bob", "carol")
    company.gather()
    company.perform("bob", company.managers["bob"].leave(DEV, now=company.now))
    assert MemberLeft(DEV, MemberId("bob#1")) in company.events["alice"]
    assert members_of(company, "carol") == ({"alice#1", "carol#1"}, {"bob#1"})
    company.perform("bob", company.managers["bob"].join(DEV, now=company.now))
    assert MemberJoined(DEV, MemberId("bob#2")) in company.events["alice"]
    assert members_of(company, "alice") == ({"alice#1", "bob#2", "carol#1"}, set())


def test_members_that_missed_a_joining_learn_of_it_all_the_same() -> None:
    company = Company("alice", "bob", "carol")
    company.gather("alice", "carol")
    company.loses = lambda source, destination, _: source == "bob" and destination == "carol"
    company.perform("bob", company.managers["bob"].join(DEV, now=company.now))
    company.pass_time(60)
    assert members_of(company, "carol") == ({"alice#1", "bob#1", "carol#1"}, set())


def test_others_cannot_say_that_this_member_left() -> None:
    company = Company("alice", "bob")
    company.gather()
    alice = company.managers["alice"]
    company.perform("alice", alice.receive(info(left=("alice#1",)), now=company.now))
    assert "alice#1" in members_of(company, "alice")[0]


def test_a_replayed_leave_of_an_older_incarnation_changes_nothing() -> None:
    company = Company("alice", "bob")
    company.gather()
    payload = encode_management(Leave())
    leave = encode(Envelope(Kind.GROUP_MANAGEMENT, DEV, MemberId("bob#1"), 1, payload=payload))
    bob = company.managers["bob"]
    company.perform("bob", bob.leave(DEV, now=company.now))
    company.perform("bob", bob.join(DEV, now=company.now))
    company.perform("alice", company.managers["alice"].receive(leave, now=company.now))
    assert "bob#2" in members_of(company, "alice")[0]


def test_made_up_groups_and_members_are_bounded_and_counted() -> None:
    company = Company("alice", limits=MemberLimits(known_groups=3, members_per_group=4))
    alice = company.managers["alice"]
    for at in range(9):
        alice.receive(info("bob#1", group=f"group-{at}"), now=company.now)
    assert alice.refused[Refusal.GROUPS_FULL] == 6
    alice.receive(info(*(f"m{at}#1" for at in range(9)), group="group-0"), now=company.now)
    assert alice.refused[Refusal.MEMBERS_FULL] == 6
    assert len(alice.groups()) == 3
