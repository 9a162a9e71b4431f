import pytest

from members.errors import MemberError, UnknownGroupError
from members.events import Delivered
from members.objects import ObjectCalls
from ordering.policy import GroupPolicy
from ordering.stamps import Cast, ObjectStamps
from tests.members.company import DEV, Company

POLICY = GroupPolicy(discipline="objects", conflicts=frozenset({("write", "write")}))
NAMES = ("alice", "bob", "carol")


def objects() -> tuple[Company, dict[str, ObjectCalls]]:
    company = Company(*NAMES)
    first, *others = NAMES
    company.perform(first, company.managers[first].create(DEV, policy=POLICY, now=company.now))
    for name in others:
        manager = company.managers[name]
        company.perform(name, manager.join(DEV, policy=POLICY, now=company.now))
    company.pass_time(2)
    return company, {name: ObjectCalls(company.managers[name], DEV) for name in NAMES}


def last(company: Company, name: str) -> Delivered:
    return company.told(name, Delivered)[-1]


def stamps_of(event: Delivered) -> ObjectStamps:
    assert isinstance(event.stamps, ObjectStamps)
    return event.stamps


def test_a_request_reaches_its_targets_and_the_response_carries_its_number() -> None:
    company, calls = objects()
    thread = calls["alice"].begin()
    company.perform("alice", thread.ucast("write", "bob#1", b"x", now=company.now))
    request = last(company, "bob")
    assert calls["bob"].is_for_this_object(request)
    assert not calls["carol"].is_for_this_object(last(company, "carol"))
    serving = calls["bob"].begin(request)
    company.perform("bob", serving.respond(b"done", now=company.now))
    serving.commit()
    response = last(company, "alice")
    assert stamps_of(response).is_response
    assert stamps_of(response).iseq == stamps_of(request).iseq
    assert thread.offer(thread.srec("bob#1"), response)


def test_a_pcast_shares_one_number_and_a_crec_wants_all() -> None:
    company, calls = objects()
    thread = calls["alice"].begin()
    requests = [("write", ["bob#1"], b"x"), ("read", ["carol#1"], b"y")]
    effects = thread.pcast(requests, now=company.now)
    company.perform("alice", effects)
    assert len(effects.datagrams) == 2
    sent = company.told("bob", Delivered)[-2:]
    assert {stamps_of(one).cast for one in sent} == {Cast.PARALLEL.value}
    assert len({stamps_of(one).iseq for one in sent}) == 1
    receipt = thread.crec("bob#1", "carol#1")
    completed = []
    for name, request in zip(("bob", "carol"), sent, strict=True):
        serving = calls[name].begin(request)
        company.perform(name, serving.respond(b"done", now=company.now))
        completed.append(thread.offer(receipt, last(company, "alice")))
    assert completed == [False, True]


def test_an_mcast_is_one_message_and_a_drec_wants_the_first_answer() -> None:
    company, calls = objects()
    thread = calls["alice"].begin()
    effects = thread.mcast("write", ["bob#1", "carol#1"], b"x", now=company.now)
    company.perform("alice", effects)
    assert len(effects.datagrams) == 1
    receipt = thread.drec("bob#1", "carol#1")
    completed = []
    for name in ("carol", "bob"):
        serving = calls[name].begin(company.told(name, Delivered)[0])
        company.perform(name, serving.respond(b"done", now=company.now))
        completed.append(thread.offer(receipt, last(company, "alice")))
    assert completed == [True, False]


def test_a_thread_that_was_not_asked_has_nothing_to_answer() -> None:
    company, calls = objects()
    with pytest.raises(MemberError, match="begin the thread with the request"):
        calls["alice"].begin().respond(b"", now=company.now)
    with pytest.raises(UnknownGroupError):
        ObjectCalls(company.managers["alice"], "elsewhere")
