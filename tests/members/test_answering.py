from random import Random

from ingest.wire.envelope import Envelope, Kind, encode
from ingest.wire.holdings import Holding
from ingest.wire.multicast import DATAGRAM_BYTES
from ingest.wire.synchronisation import (
    Have,
    Request,
    Response,
    Wanted,
    encode_synchronisation,
)
from members.answering import Answering
from members.holdings import Holdings
from members.limits import MemberLimits, Pace
from members.refusals import Refusal
from members.store import Store
from ordering.values import GroupId, MemberId, MessageId

ALICE, BOB, CAROL = MemberId("alice#1"), MemberId("bob#1"), MemberId("carol#1")
EVERYTHING = Request((), Wanted.EVERYTHING)
PACE = Pace()


def answering(count: int, *, size: int = 10, seed: int = 1, **bounds: int) -> Answering:
    limits = MemberLimits(**bounds)
    store, holdings = Store(limits), Holdings(limits)
    for seq in range(1, count + 1):
        store.add(MessageId(ALICE, seq), seq.to_bytes(size, "big"), ())
        holdings.add(MessageId(ALICE, seq))
    return Answering(store, holdings, rng=Random(seed), limits=limits, pace=PACE)


def given(one: Answering, *, until_at: int = 10**9) -> tuple[list[int], list[Have | Response]]:
    """Let time pass; give the seqs that were given, in order, and all bodies."""
    said: list[Have | Response] = []
    while (deadline := one.next_deadline()) is not None and deadline <= until_at:
        for body in one.due(now=deadline, members_digest=0):
            assert isinstance(body, Have | Response)
            said.append(body)
    seqs = [
        int.from_bytes(raw, "big")
        for body in said
        if isinstance(body, Response)
        for raw in body.messages
    ]
    return seqs, said


def test_a_requester_gets_exactly_what_it_lacks_in_order_after_being_told_what_there_is() -> None:
    one = answering(9)
    have = (Holding(ALICE, (1, 3, 6, 6)),)
    assert one.on_request(BOB, 1, Request(have, Wanted.EVERYTHING), now=0) is None
    deadline = one.next_deadline()
    assert deadline is not None
    assert deadline < PACE.answer_within_us
    seqs, said = given(one)
    assert seqs == [4, 5, 7, 8, 9]
    assert isinstance(said[0], Have)
    assert (said[0].maybe_requester, said[0].request_seq) == (BOB, 1)


def test_a_gap_is_answered_with_the_gap_alone() -> None:
    one = answering(9)
    exactly = (Holding(ALICE, (4, 5, 20, 30)), Holding(CAROL, (1, 1)))
    one.on_request(BOB, 1, Request((), Wanted.EXACTLY, exactly=exactly), now=0)
    seqs, said = given(one)
    assert seqs == [4, 5]
    assert all(isinstance(body, Response) for body in said)


def test_what_another_answers_meanwhile_is_not_answered() -> None:
    one = answering(4)
    one.on_request(BOB, 1, EVERYTHING, now=0)
    for seq in (1, 3):
        one.on_air(MessageId(ALICE, seq), now=0)
    one.on_response(Response(BOB, 1, 0, (b"", b"")), now=0)
    assert given(one)[0] == [2, 4]


def test_an_answer_that_comes_before_its_request_counts() -> None:
    one = answering(3)
    one.on_air(MessageId(ALICE, 2), now=0)
    one.on_request(BOB, 1, EVERYTHING, now=1)
    assert given(one)[0] == [1, 3]


def test_an_answer_of_long_ago_does_not_count() -> None:
    one = answering(3)
    one.on_air(MessageId(ALICE, 2), now=0)
    one.on_request(BOB, 1, EVERYTHING, now=PACE.answer_within_us)
    assert given(one)[0] == [1, 2, 3]


def test_who_is_told_by_another_that_has_as_much_is_not_told_again() -> None:
    one = answering(3)
    one.on_request(BOB, 1, Request((), Wanted.NOTHING), now=0)
    one.on_have(Have((), 0, BOB, 1), covers_ours=False)
    assert one.requests_pending == 1
    one.on_have(Have((), 0, BOB, 1), covers_ours=True)
    assert given(one)[1] == []


def test_an_older_request_is_stale_and_the_same_one_only_takes_away() -> None:
    one = answering(3)
    one.on_request(BOB, 5, EVERYTHING, now=0)
    assert one.on_request(BOB, 4, EVERYTHING, now=0) is Refusal.STALE_REQUEST
    again = Request((Holding(ALICE, (1, 2)),), Wanted.EVERYTHING)
    assert one.on_request(BOB, 5, again, now=0) is None
    assert given(one)[0] == [3]
    assert one.on_request(BOB, 5, EVERYTHING, now=10**8) is None
    assert given(one)[1] == []


def test_a_newer_request_takes_the_place_of_an_older() -> None:
    one = answering(3)
    one.on_request(BOB, 1, EVERYTHING, now=0)
    one.on_request(BOB, 2, Request((Holding(ALICE, (1, 2)),), Wanted.EVERYTHING), now=0)
    seqs, said = given(one)
    assert seqs == [3]
    assert all(body.request_seq == 2 for body in said)


def test_the_last_and_a_thread_are_told_as_chosen() -> None:
    one = answering(9)
    one.on_request(BOB, 1, Request((), Wanted.LAST, last=2), now=0)
    seqs, said = given(one)
    assert seqs == [8, 9]
    assert isinstance(said[0], Have)
    assert said[0].chosen == (Holding(ALICE, (8, 9)),)
    one.on_request(CAROL, 1, Request((), Wanted.THREAD, maybe_thread=(ALICE, 4)), now=10**8)
    assert given(one)[0] == [4]


def test_who_wants_the_last_two_gets_no_more_than_two_from_all_together() -> None:
    one = answering(9)
    one.on_request(BOB, 1, Request((), Wanted.LAST, last=2), now=0)
    one.on_response(Response(BOB, 1, 0, (b"", b"")), now=0)
    assert given(one)[0] == []


def test_pages_fit_and_a_message_that_does_not_goes_alone() -> None:
    one = answering(40, size=1_000)
    one.on_request(BOB, 1, EVERYTHING, now=0)
    seqs, said = given(one)
    assert seqs == list(range(1, 41))
    pages = [body for body in said if isinstance(body, Response)]
    assert [page.remaining for page in pages] == list(range(39, -1, -1))
    for page in pages:
        payload = encode_synchronisation(page)
        envelope = Envelope(Kind.SYNCHRONISATION, GroupId("dev"), CAROL, 1, payload=payload)
        assert len(encode(envelope)) <= DATAGRAM_BYTES


def test_a_long_answer_goes_in_bursts_that_leave_receivers_time() -> None:
    one = answering(200, size=1_000)
    one.on_request(BOB, 1, EVERYTHING, now=0)
    bursts = []
    while (deadline := one.next_deadline()) is not None:
        bursts.append(len(one.due(now=deadline, members_digest=0)))
    assert bursts[:4] == [2, 2, 4, 8]  # the first has the telling in it
    assert max(bursts) == PACE.pages_per_turn


def test_answers_take_no_more_of_the_network_than_their_share() -> None:
    one = answering(500, size=1_000, answer_pages_per_second=100)
    one.on_request(BOB, 1, EVERYTHING, now=0)
    seqs, _ = given(one, until_at=1_000_000)
    assert 90 <= len(seqs) <= 111
    seqs, _ = given(one)
    assert seqs[-1] == 500


def test_a_crowd_of_requesters_is_bounded() -> None:
    one = answering(3, requesters=2)
    refusals = [one.on_request(MemberId(f"m{at}#1"), 1, EVERYTHING, now=0) for at in range(4)]
    assert refusals == [None, None, Refusal.REQUESTERS_FULL, Refusal.REQUESTERS_FULL]


def test_remembered_answers_are_bounded() -> None:
    one = answering(20, recent_answers=5)
    for seq in range(1, 21):
        one.on_air(MessageId(ALICE, seq), now=0)
    one.on_request(BOB, 1, EVERYTHING, now=0)
    assert given(one)[0] == list(range(1, 16))
