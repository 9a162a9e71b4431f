from ingest.wire.envelope import Envelope, Kind, encode
from ingest.wire.synchronisation import Request, Response, Wanted, encode_synchronisation
from ordering.policy import GroupPolicy
from ordering.values import GroupId, MemberId, MessageId
from simulation.populations.ledger import Ledger

GROUP, ALICE, BOB = GroupId("population"), MemberId("alice#1"), MemberId("bob#1")


def message(seq: int, *parents: MessageId) -> bytes:
    return encode(Envelope(Kind.MESSAGE, GROUP, ALICE, seq, parents, b"hi"))


def test_the_recorder_hears_everything_and_delivers_in_order() -> None:
    ledger = Ledger(GroupPolicy())
    ledger.sent(message(2, MessageId(ALICE, 1)), before=frozenset(), now=1)
    assert ledger.recorded == []
    ledger.sent(message(1), before=frozenset(), now=2)
    assert ledger.recorded == [MessageId(ALICE, 1), MessageId(ALICE, 2)]
    assert ledger.said[MessageId(ALICE, 2)].parents == (MessageId(ALICE, 1),)


def test_every_copy_in_an_answer_is_counted() -> None:
    ledger = Ledger(GroupPolicy())
    body = Response(ALICE, 4, 0, (message(1), message(2)))
    payload = encode_synchronisation(body)
    page = encode(Envelope(Kind.SYNCHRONISATION, GROUP, BOB, 1, payload=payload))
    for _ in range(2):
        ledger.sent(page, before=frozenset(), now=1)
    assert ledger.answers[(BOB, ALICE, 4, MessageId(ALICE, 1))] == 2
    assert ledger.repeats[MessageId(ALICE, 2)] == 2
    assert ledger.datagrams == {"synchronisation": 2, "response": 2}


def test_requests_are_kept() -> None:
    ledger = Ledger(GroupPolicy())
    request = Request((), Wanted.NOTHING)
    payload = encode_synchronisation(request)
    request_datagram = encode(Envelope(Kind.SYNCHRONISATION, GROUP, BOB, 1, payload=payload))
    ledger.sent(request_datagram, before=frozenset(), now=1)
    assert ledger.requested == [(BOB, request)]
