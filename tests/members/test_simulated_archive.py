"""Laws of the simulated service: it answers as the real one does, and may fall silent."""

from __future__ import annotations

import asyncio

from ingest.wire.archive import decode_page
from ingest.wire.envelope import Envelope, Kind, decode, encode
from ingest.wire.synchronisation import Have, Request, Wanted, encode_synchronisation
from members.simulated_archive import SimulatedService
from ordering.values import GroupId, MemberId
from streaming.answering import read_request
from streaming.answering_pages import pages_of
from tests.streaming.recorded import Recorded, conversation, naive_holdings


def asking(body: Request | Have) -> bytes:
    return encode(
        Envelope(
            Kind.SYNCHRONISATION,
            GroupId("g"),
            MemberId("zoe#1"),
            4,
            payload=encode_synchronisation(body),
        )
    )


def test_it_answers_exactly_as_the_service_does() -> None:
    envelopes = conversation(3, messages=60)
    recorded = Recorded(envelopes)
    service = SimulatedService()
    for envelope in envelopes:
        service.record(envelope)
        service.record(envelope)
    ids = recorded.ids()
    have = naive_holdings(set(ids[::3]))
    for request in (
        Request(have, Wanted.EVERYTHING),
        Request(have, Wanted.LAST, last=7),
        Request((), Wanted.THREAD, maybe_thread=ids[5]),
        Request(have, Wanted.EXACTLY, exactly=naive_holdings(set(ids[1:9]))),
        Request((), Wanted.NOTHING),
    ):
        value = asking(request)
        (simulated,) = map(decode_page, service.answer(value))
        (real,) = pages_of(recorded, read_request(value))
        assert simulated.messages == real.messages
        assert simulated.positions == real.positions
        assert set(simulated.have) == set(real.have)


def test_it_falls_silent_and_says_nothing_to_what_is_no_request() -> None:
    service = SimulatedService()
    assert service.answer(asking(Have((), 0))) == []
    (empty,) = map(decode_page, service.answer(asking(Request((), Wanted.EVERYTHING))))
    assert empty.is_last
    service.is_away = True
    assert service.answer(asking(Request((), Wanted.EVERYTHING))) == []


def test_pages_come_with_the_loops_next_turn_until_it_is_closed() -> None:
    async def ask() -> list[bytes]:
        heard: list[bytes] = []
        archive = SimulatedService().archive()
        archive.open(heard.append)
        archive.ask(asking(Request((), Wanted.EVERYTHING)))
        assert heard == []
        await asyncio.sleep(0)
        archive.ask(asking(Request((), Wanted.EVERYTHING)))
        archive.close()
        await asyncio.sleep(0)
        return heard

    assert len(asyncio.run(ask())) == 1
    assert decode(asking(Request((), Wanted.NOTHING))).seq == 4
