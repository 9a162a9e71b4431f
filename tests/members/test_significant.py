from members.events import Delivered
from members.significant import SignificantCalls
from ordering.policy import GroupPolicy
from ordering.stamps import MessageType, SignificantStamps
from tests.members.company import DEV, Company

POLICY = GroupPolicy(discipline="significant", conflicts=frozenset({("add", "add")}))


def objects() -> tuple[Company, SignificantCalls, SignificantCalls]:
    company = Company("alice", "bob")
    alice, bob = company.managers["alice"], company.managers["bob"]
    company.perform("alice", alice.create(DEV, policy=POLICY, now=company.now))
    company.perform("bob", bob.join(DEV, policy=POLICY, now=company.now))
    company.pass_time(2)
    return company, SignificantCalls(alice, DEV), SignificantCalls(bob, DEV)


def stamps_of(event: Delivered) -> SignificantStamps:
    assert isinstance(event.stamps, SignificantStamps)
    return event.stamps


def ask(company: Company, calls: SignificantCalls, operation: str, kind: MessageType) -> Delivered:
    instance = calls.begin(operation, now=company.now)
    company.perform("alice", calls.send(instance, kind, b"", now=company.now))
    calls.complete(instance)
    company.now += 10
    return company.told("bob", Delivered)[-1]


def test_conflicting_requests_follow_each_other_and_others_follow_nothing() -> None:
    company, alice, _ = objects()
    first = ask(company, alice, "add", MessageType.REQUEST_INPUT_STATE)
    second = ask(company, alice, "add", MessageType.REQUEST_INPUT_STATE)
    third = ask(company, alice, "look", MessageType.REQUEST_PLAIN)
    assert stamps_of(first).own_preceding == 0
    assert stamps_of(second).own_preceding == stamps_of(first).sent_at
    assert stamps_of(third).own_preceding == 0
    assert [event.id.seq for event in company.told("bob", Delivered)] == [1, 2, 3]


def test_a_response_follows_the_request_that_it_answers() -> None:
    company, alice, bob = objects()
    request = ask(company, alice, "add", MessageType.REQUEST_INPUT_STATE)
    instance = bob.begin("add", maybe_request=request, now=company.now)
    effects = bob.send(instance, MessageType.RESPONSE_OUTPUT, b"5", now=company.now)
    company.perform("bob", effects)
    response = stamps_of(company.told("alice", Delivered)[-1])
    assert dict(zip(response.members, response.preceding, strict=True)) == {
        alice.pid: stamps_of(request).sent_at
    }
    asking = alice.begin("add", now=company.now)
    alice.receive(asking, company.told("alice", Delivered)[-1])
    assert asking.deeds[-1].member == bob.pid
