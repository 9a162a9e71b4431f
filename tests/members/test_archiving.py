"""Laws of asking the service: what nobody else has, exactly, once, in order, and never for ever."""

from __future__ import annotations

from itertools import pairwise

import pytest

from ingest.wire.archive import Page, encode_page
from ingest.wire.envelope import Envelope, Kind, encode
from ingest.wire.holdings import Holding
from ingest.wire.synchronisation import Wanted
from members.asking import ALL, NOW, JoinPolicy, last, thread
from members.events import ArchiveRead, Delivered, Synchronised, Unanswered
from members.limits import MemberLimits, Pace
from members.refusals import Refusal
from members.simulated_archive import SimulatedService
from ordering.policy import GroupPolicy
from ordering.values import GroupId, MemberId, MessageId
from tests.members.archived import Alone
from tests.members.company import DEV, Company, is_message
from tests.messages import wire


def service_with(count: int, **more: int) -> SimulatedService:
    """A service with a conversation of alice and bob, each message answering the one before."""
    service = SimulatedService(**more)
    before: tuple[tuple[str, int], ...] = ()
    for number in range(count):
        name, seq = ("alice", "bob")[number % 2], number // 2 + 1
        service.record(wire(name, seq, *before, group="dev", payload=f"word {number}".encode()))
        before = ((name, seq),)
    return service


def words(*numbers: int) -> list[str]:
    return [f"word {number}" for number in numbers]


def test_a_newcomer_that_finds_nobody_gets_everything_from_the_service_in_order() -> None:
    zoe = Alone(service_with(250, page_messages=100))
    zoe.join()
    zoe.pass_time()
    assert zoe.heard() == words(*range(250))
    assert ArchiveRead(DEV, 250) in zoe.events
    assert Synchronised(DEV) in zoe.events
    assert [request.wanted for request in zoe.requests] == [Wanted.EVERYTHING]


def test_a_long_answer_is_asked_for_again_with_what_is_had_by_then() -> None:
    zoe = Alone(service_with(250, page_messages=20, answer_messages=60))
    zoe.join()
    zoe.pass_time()
    assert zoe.heard() == words(*range(250))
    assert len(zoe.requests) == 5
    had = [sum(one.runs[1] for one in request.have) for request in zoe.requests]
    assert had == [0, 60, 120, 180, 240]


def test_a_page_that_comes_twice_brings_nothing_twice() -> None:
    zoe = Alone(service_with(250, page_messages=30, answer_messages=90))
    zoe.repeats_pages = True
    zoe.join()
    zoe.pass_time()
    assert zoe.heard() == words(*range(250))
    assert zoe.manager.refused[Refusal.DUPLICATE] == 0


@pytest.mark.parametrize(
    ("history", "expected"),
    [
        (ALL, words(*range(6))),
        (NOW, []),
        (last(2), words(*range(6))),  # and all that these answer
        (thread(MessageId(MemberId("alice#1"), 3)), words(*range(6))),
    ],
)
def test_each_join_policy_gets_its_own_and_no_more_is_asked(
    history: JoinPolicy, expected: list[str]
) -> None:
    zoe = Alone(service_with(6))
    zoe.join(history)
    zoe.pass_time(200)
    assert zoe.heard() == expected
    assert len(zoe.requests) == 1
    assert Synchronised(DEV) in zoe.events


def test_who_wants_the_last_gets_no_older_ones_that_nothing_answers() -> None:
    service = SimulatedService()
    for seq in range(1, 11):
        service.record(wire("alice", seq, group="dev"))
    zoe = Alone(service)
    zoe.join(last(3))
    zoe.pass_time(200)
    assert zoe.heard() == ["alice 8", "alice 9", "alice 10"]


def test_a_gap_that_nobody_fills_is_asked_for_exactly_and_filled() -> None:
    zoe = Alone(service_with(40))
    zoe.join(NOW)
    zoe.pass_time()
    late = wire("alice", 21, ("bob", 20), group="dev", payload=b"word 40")
    zoe.perform(zoe.manager.receive(late, now=zoe.now))
    zoe.pass_time()
    assert zoe.heard()[-1] == "word 40"
    request = zoe.requests[1]
    assert request.wanted is Wanted.EXACTLY
    assert request.exactly == (Holding("bob#1", (20, 20)),)
    assert zoe.heard() == words(*range(41)), "what it answers, all the way up"


def test_who_comes_back_gets_from_the_service_what_the_others_have_forgotten() -> None:
    company = Company("alice", "bob", limits=MemberLimits(store_messages=5))
    company.gather()
    service = SimulatedService()
    for number in range(30):
        company.say("alice", f"word {number}")
    for _, datagram in company.sent:
        if is_message(datagram):
            service.record(datagram)
    zoe = Alone(service)
    zoe.now = company.now
    zoe.join()
    sent = len(company.sent)
    for _ in range(40):  # the others tell what they have, and can give only the last few
        company.pass_time(1)
        zoe.pass_time(1)
        for _, datagram in company.sent[sent:]:
            zoe.perform(zoe.manager.receive(datagram, now=zoe.now))
        sent = len(company.sent)
    assert sorted(zoe.heard()) == sorted(words(*range(30)))
    assert zoe.requests


def test_a_causal_group_is_filled_from_the_service_too() -> None:
    policy = GroupPolicy(discipline="causal")
    company = Company("alice", "bob")
    company.perform("alice", company.managers["alice"].create(DEV, policy=policy, now=company.now))
    company.perform("bob", company.managers["bob"].join(DEV, policy=policy, now=company.now))
    company.pass_time(2)
    for number in range(10):
        company.say(("alice", "bob")[number % 2], f"word {number}")
        company.pass_time(0.1)
    service = SimulatedService()
    for _, datagram in company.sent:
        if is_message(datagram):
            service.record(datagram)
    zoe = Alone(service)
    zoe.now = company.now
    zoe.join(policy=policy)
    zoe.pass_time()
    assert zoe.heard() == words(*range(10))


def test_a_silent_service_is_asked_ever_more_seldom_and_then_no_more() -> None:
    service = service_with(6)
    service.is_away = True
    zoe = Alone(service)
    zoe.join()
    zoe.pass_time(1_000)
    assert len(zoe.requests) == Pace().archive_asks
    assert zoe.archiving.next_deadline() is None
    service.is_away = False
    zoe.perform(zoe.manager.synchronise(DEV, now=zoe.now))
    zoe.pass_time()
    assert zoe.heard() == words(*range(6)), "what is unanswered again is asked for again"


def test_the_times_between_requests_grow() -> None:
    service = service_with(1)
    service.is_away = True
    zoe = Alone(service)
    zoe.join()
    asked_at = []
    for _ in range(2_000):
        before = len(zoe.requests)
        zoe.pass_time(0.1)
        if len(zoe.requests) > before:
            asked_at.append(zoe.now)
    waits = [later - earlier for earlier, later in pairwise(asked_at)]
    assert waits == sorted(waits)


def page(**parts: object) -> bytes:
    fields = {
        "group": "dev", "requester": "zoe#1", "request_seq": 1, "number": 1,
        "is_last": True, "remaining": 0, **parts,
    }  # fmt: skip
    return encode_page(Page(**fields))  # type: ignore[arg-type]


def test_a_page_that_was_not_asked_for_changes_nothing_and_is_counted() -> None:
    service = service_with(4)
    zoe = Alone(service)
    given = {"positions": (1,), "messages": (wire("alice", 1, group="dev"),)}
    for value in (b"junk", b"", page(group="other"), page(**given)):
        zoe.perform(zoe.archiving.receive(value, now=zoe.now))
    service.is_away = True
    zoe.join()
    zoe.pass_time(20)
    for value in (page(**given), page(requester="bob#1", **given), page(request_seq=9, **given)):
        zoe.perform(zoe.archiving.receive(value, now=zoe.now))
    assert zoe.heard() == []
    assert zoe.manager.refused[Refusal.NOT_ASKED] == 5
    assert zoe.manager.refused["bad_body"] == 2


def test_bad_messages_in_a_page_are_refused_one_by_one() -> None:
    service = service_with(4)
    zoe = Alone(service)
    zoe.join()
    answer = service.answer

    def spoiled(request: bytes) -> list[bytes]:
        seq = zoe.archiving._wishes[DEV].seq
        tick = encode(Envelope(Kind.TICK, GroupId(""), MemberId(""), 0, sent_at=1))
        messages = (b"junk", tick, wire("alice", 1, group="other"), wire("eve", 1, group="dev"))
        bad = page(request_seq=seq, positions=(1, 2, 3, 4), messages=messages, is_last=False)
        return [bad, *answer(request)]

    service.answer = spoiled  # type: ignore[method-assign]
    zoe.pass_time()
    refused = zoe.manager.refused
    assert (refused[Refusal.UNEXPECTED_KIND], refused[Refusal.WRONG_GROUP]) == (1, 1)
    assert refused["too_short"] == 1


def test_a_problem_is_told_and_asked_again() -> None:
    service = service_with(4)
    zoe = Alone(service)
    zoe.join()
    answer, asked = service.answer, []

    def failing(request: bytes) -> list[bytes]:
        asked.append(request)
        if len(asked) > 1:
            return answer(request)
        seq = zoe.archiving._wishes[DEV].seq
        return [page(request_seq=seq, problem="the disk is away")]

    service.answer = failing  # type: ignore[method-assign]
    zoe.pass_time()
    assert ArchiveRead(DEV, 0, "the disk is away") in zoe.events
    assert zoe.heard() == words(*range(4))


def test_nothing_is_asked_of_the_service_while_others_answer() -> None:
    zoe = Alone(service_with(4))
    zoe.perform(zoe.manager.create(DEV, now=zoe.now))
    zoe.pass_time(100)
    assert zoe.requests == []
    zoe.archiving.hear([Unanswered(GroupId("left"), ())], now=zoe.now)
    assert zoe.archiving.next_deadline() is None
    assert not [event for event in zoe.events if isinstance(event, Delivered)]


def test_asking_again_while_an_answer_is_under_way_changes_nothing() -> None:
    service = service_with(4)
    service.is_away = True
    zoe = Alone(service)
    zoe.join(NOW)
    zoe.pass_time(200)
    before = len(zoe.requests)
    for _ in range(5):
        zoe.archiving.ask(DEV, ALL, now=zoe.now)
        zoe.look()
    assert len(zoe.requests) == before + 1
    service.is_away = False
    zoe.pass_time(20)
    assert zoe.heard() == words(*range(4))
