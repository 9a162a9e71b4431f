import pytest

from ingest.wire.envelope import Kind, decode
from ingest.wire.synchronisation import MESSAGE_BYTES, Request, Response, Wanted
from members.asking import NOW, last, thread
from members.errors import TooLongError, UnknownMessageError
from members.events import Delivered, Gap, NewIncarnation, Synchronised, Unanswered
from ordering.values import MemberId, MessageId
from tests.members.company import DEV, Company, bodies, envelopes, is_message


def test_what_one_says_all_hear_at_once_and_the_speaker_first() -> None:
    company = Company("alice", "bob", "carol")
    company.gather()
    effects = company.say("alice", "hello")
    assert effects.maybe_sent == ("alice#1", 1)
    assert all(company.heard(name) == ["hello"] for name in ("alice", "bob", "carol"))
    assert len(effects.datagrams) == 1


def test_a_lost_message_is_asked_for_and_nothing_else() -> None:
    company = Company("alice", "bob", "carol")
    company.gather()
    company.say("alice", "one")
    company.loses = lambda _, destination, datagram: destination == "carol" and is_message(datagram)
    company.say("alice", "two")
    company.loses = lambda *_: False
    company.sent.clear()
    company.say("alice", "three")
    company.pass_time(0.5)
    assert company.heard("carol") == ["one", "three", "two"]
    asked = [(who, body) for who, body in bodies(company.sent) if isinstance(body, Request)]
    assert [(who, body.exactly[0].runs) for who, body in asked] == [("carol#1", (2, 2))]
    given = [body for _, body in bodies(company.sent) if isinstance(body, Response)]
    assert [len(body.messages) for body in given] == [1]
    assert company.told("carol", Gap)
    assert company.told("carol", Synchronised)


def test_the_loss_of_a_last_message_is_found_too() -> None:
    company = Company("alice", "bob")
    company.gather()
    company.loses = lambda _source, _destination, datagram: is_message(datagram)
    company.say("alice", "the last word")
    assert company.heard("bob") == []
    company.pass_time(20)
    assert company.heard("bob") == ["the last word"]


def test_an_answer_waits_for_its_question_and_the_question_is_asked_for() -> None:
    company = Company("alice", "bob", "carol")
    company.gather()
    company.loses = lambda _, destination, __: destination == "carol"
    question = company.say("alice", "what is it?").maybe_sent
    assert question is not None
    company.loses = lambda *_: False
    company.say("bob", "this", in_answer_to=question)
    assert company.heard("carol") == []
    company.pass_time(0.5)
    assert company.heard("carol") == ["what is it?", "this"]


def test_a_dead_speakers_words_come_from_whoever_heard_them() -> None:
    company = Company("alice", "bob", "carol")
    company.gather()
    company.loses = lambda _, destination, __: destination == "carol"
    company.say("alice", "my last words")
    company.loses = lambda *_: False
    del company.managers["alice"]
    company.pass_time(20)
    assert company.heard("carol") == ["my last words"]


def test_who_comes_back_with_nothing_gets_all_and_its_own_words_too_once_and_in_order() -> None:
    company = Company("alice", "bob")
    company.gather()
    first = company.say("alice", "one").maybe_sent
    assert first is not None
    company.say("bob", "two", in_answer_to=first)
    company.start("alice", incarnation=2)
    company.perform("alice", company.managers["alice"].join(DEV, now=company.now))
    company.pass_time(5)
    assert company.heard("alice") == ["one", "two"]
    assert company.told("alice", Synchronised)
    assert company.say("alice", "three").maybe_sent == ("alice#2", 1)


def test_who_lost_its_counter_and_comes_back_under_its_old_pid_takes_a_new_one() -> None:
    company = Company("alice", "bob")
    company.gather()
    company.say("alice", "one")
    company.start("alice", incarnation=1)
    company.perform("alice", company.managers["alice"].join(DEV, now=company.now))
    company.pass_time(5)
    assert company.heard("alice") == ["one"]
    (renewed,) = company.told("alice", NewIncarnation)
    sent = company.say("alice", "two").maybe_sent
    assert sent == (renewed.member, 1)
    assert sent.sender != "alice#1"
    assert company.heard("bob") == ["one", "two"]


@pytest.mark.parametrize("count", [0, 2, 50])
def test_a_newcomer_gets_the_last_messages_that_it_wants(count: int) -> None:
    company = Company("alice", "bob")
    company.gather()
    for at in range(1, 6):
        company.say("alice", f"{at}")
    late = company.start("carol")
    company.perform("carol", late.join(DEV, last(count), now=company.now))
    company.pass_time(5)
    assert company.heard("carol") == ["1", "2", "3", "4", "5"][max(0, 5 - count) :]
    assert company.told("carol", Synchronised)


def test_a_newcomer_for_now_gets_what_is_said_from_now_on_and_what_that_answers() -> None:
    company = Company("alice", "bob")
    company.gather()
    old = company.say("alice", "old").maybe_sent
    company.say("alice", "old and unanswered")
    assert old is not None
    late = company.start("carol")
    company.perform("carol", late.join(DEV, NOW, now=company.now))
    company.pass_time(5)
    assert company.heard("carol") == []
    company.say("bob", "new")
    company.say("bob", "an answer", in_answer_to=old)
    company.pass_time(60)
    assert company.heard("carol") == ["new", "old", "an answer"]


def test_a_newcomer_gets_the_thread_that_it_wants() -> None:
    company = Company("alice", "bob")
    company.gather()
    root = company.say("alice", "root").maybe_sent
    company.say("alice", "elsewhere")
    assert root is not None
    company.say("bob", "answer", in_answer_to=root)
    late = company.start("carol")
    company.perform("carol", late.join(DEV, thread(root), now=company.now))
    company.pass_time(60)
    assert company.heard("carol") == ["root", "answer"]


def test_a_long_history_comes_in_pages_in_order_and_each_message_once() -> None:
    company = Company("alice", "bob", "carol")
    company.gather("alice", "bob")
    for at in range(300):
        company.say("alice", f"{at:03} {'x' * 90}")
    company.sent.clear()
    company.perform("carol", company.managers["carol"].join(DEV, now=company.now))
    company.pass_time(10)
    assert [text[:3] for text in company.heard("carol")] == [f"{at:03}" for at in range(300)]
    pages = [body for _, body in bodies(company.sent) if isinstance(body, Response)]
    assert sum(len(page.messages) for page in pages) == 300
    assert len(pages) > 20
    assert all(len(raw) < 2_000 for _, raw in company.sent)


def test_a_partition_that_heals_leaves_everybody_with_the_same() -> None:
    company = Company("alice", "bob", "carol", "dave")
    company.gather()
    sides = {"alice": 0, "bob": 0, "carol": 1, "dave": 1}
    company.loses = lambda source, destination, _: sides[source] != sides[destination]
    for at in range(5):
        company.say("alice", f"left {at}")
        company.say("carol", f"right {at}")
    company.pass_time(100)
    company.loses = lambda *_: False
    company.pass_time(120)
    heard = [sorted(company.heard(name)) for name in sides]
    assert heard == [heard[0]] * 4
    assert len(heard[0]) == 10


def test_what_nobody_has_is_told_as_unanswered_and_asked_for_no_more() -> None:
    company = Company("alice", "bob")
    company.gather()
    company.loses = lambda source, _, datagram: source == "alice" and is_message(datagram)
    company.say("alice", "never heard")
    company.loses = lambda *_: False
    company.say("alice", "heard")
    del company.managers["alice"]
    company.pass_time(60)
    (event,) = company.told("bob", Unanswered)
    assert event.missing == (("alice#1", (1, 1)),)
    company.sent.clear()
    company.pass_time(600)
    assert not [body for _, body in bodies(company.sent) if isinstance(body, Request)]


def test_a_quiet_group_costs_next_to_nothing() -> None:
    company = Company("alice", "bob", "carol", "dave", "erin")
    company.gather()
    company.say("alice", "good night")
    company.pass_time(120)
    company.sent.clear()
    company.pass_time(600)
    assert len(company.sent) <= 600 / 30 * 2 + 5


def test_only_what_was_received_can_be_answered_and_nothing_is_sent_otherwise() -> None:
    company = Company("alice")
    company.gather()
    with pytest.raises(UnknownMessageError, match=r"bob#1:4 was not received in dev"):
        company.say("alice", "what?", in_answer_to=MessageId(MemberId("bob#1"), 4))
    with pytest.raises(TooLongError, match="send at most"):
        company.say("alice", "x" * MESSAGE_BYTES)
    assert company.say("alice", "first").maybe_sent == ("alice#1", 1)


def test_an_id_with_other_content_is_counted_and_the_first_stands() -> None:
    company = Company("alice", "bob")
    company.gather()
    company.say("alice", "one")
    (envelope,) = envelopes(company.sent, Kind.MESSAGE)
    forged = company.managers["bob"]._post.seal(envelope._replace(payload=b"two"))
    effects = company.managers["bob"].receive(forged, now=company.now)
    assert effects.events == []
    assert company.managers["bob"].refused["equivocation"] == 1


def test_every_request_of_a_newcomer_has_what_it_has() -> None:
    company = Company("alice", "bob")
    company.gather()
    company.say("alice", "one")
    company.perform("bob", company.managers["bob"].synchronise(DEV, now=company.now))
    requests = [body for _, body in bodies(company.sent) if isinstance(body, Request)]
    assert requests[-1].wanted is Wanted.EVERYTHING
    assert [(one.member, one.runs) for one in requests[-1].have] == [("alice#1", (1, 1))]
    assert decode(company.sent[-1][1]).kind is Kind.SYNCHRONISATION
    assert len(company.told("bob", Delivered)) == 1
