"""Laws of answering members: a real broker, a real Delta table, and a set difference."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import streaming.answering as module
from deploy.local.broker import Broker
from ingest.wire.archive import Page, decode_page
from ingest.wire.envelope import Envelope, Kind, decode, encode
from ingest.wire.errors import WireError
from ingest.wire.partition import partition_of
from ingest.wire.synchronisation import (
    Have,
    Request,
    SynchronisationBody,
    Wanted,
    encode_synchronisation,
)
from ordering.values import GroupId, MemberId
from sinks.errors import DestinationError
from sinks.kafka_client import read_topic
from sinks.settings import KafkaSettings
from streaming.answering import STALE_MS, Answering, answers, read_request, wall_clock_ms
from streaming.answering_pages import Asked
from tests.messages import wire
from tests.sinks.delivered_rows import write_deliveries
from tests.streaming.recorded import Recorded, conversation, naive_answer, naive_holdings
from tests.topic_tools import new_topics, produce_to

PATIENCE_S = 60.0
ALL = Request((), Wanted.EVERYTHING)


def request_record(
    body: SynchronisationBody, *, requester: str = "bob#1", seq: int = 1, group: str = "g"
) -> tuple[bytes, bytes]:
    payload = encode_synchronisation(body)
    envelope = Envelope(
        Kind.SYNCHRONISATION, GroupId(group), MemberId(requester), seq, payload=payload
    )
    return group.encode(), encode(envelope)


def pages_in(kafka: KafkaSettings) -> list[Page]:
    """Every page of the answers topic; each stands in the partition of its requester."""
    pages = []
    for record in read_topic(kafka, kafka.topics.answers):
        page = decode_page(record.value)
        assert record.key.decode() == page.requester
        assert record.partition == partition_of(GroupId(page.requester), kafka.partitions)
        pages.append(page)
    return pages


def wait_until(is_so: Callable[[], bool]) -> None:
    deadline_s = time.monotonic() + PATIENCE_S
    while not is_so():
        assert time.monotonic() < deadline_s, f"not so within {PATIENCE_S:g} s"
        time.sleep(0.05)


@contextmanager
def answering(kafka: KafkaSettings, tables: Path, *, late_ms: int = 0) -> Iterator[Answering]:
    running = Answering(
        kafka, tables_directory=str(tables), clock_ms=lambda: wall_clock_ms() + late_ms
    )
    running.start()
    try:
        yield running
    finally:
        running.stop()


@pytest.mark.broker
def test_members_get_what_they_lack_once_though_others_ask_nonsense(
    broker: Broker, tmp_path: Path
) -> None:
    kafka = new_topics(broker.bootstrap)
    recorded = Recorded(conversation(5, messages=1_500))
    write_deliveries(tmp_path, recorded.envelopes_of_all)
    ids = recorded.ids()
    have = {one for number, one in enumerate(ids) if number % 3}
    telling = request_record(Have((), 0))
    produce_to(
        kafka,
        kafka.topics.requests,
        [
            (b"", b"junk"),
            (b"", b""),
            telling,
            (b"g", wire("mallory", 1)),
            request_record(ALL, requester="new#1"),
            request_record(Request(naive_holdings(have), Wanted.EVERYTHING), requester="bob#1"),
            request_record(Request((), Wanted.LAST, last=10), requester="late#1"),
            request_record(ALL, requester="lost#1", group="elsewhere"),
        ],
    )
    with answering(kafka, tmp_path) as running:
        wait_until(lambda: running.counts["answered"] == 4)
        assert running.counts["malformed"] == 4
    pages = pages_in(kafka)
    by_requester = {
        who: [
            (envelope.sender, envelope.seq)
            for page in pages
            if page.requester == who
            for envelope in map(decode, page.messages)
        ]
        for who in ("new#1", "bob#1", "late#1", "lost#1")
    }
    assert by_requester["new#1"] == ids
    assert by_requester["bob#1"] == [one for one in ids if one not in have]
    assert by_requester["late#1"] == naive_answer(
        recorded, have=set(), chosen=set(ids[-10:]), with_ancestors=True
    )
    assert by_requester["lost#1"] == []
    assert {page.requester for page in pages if page.is_last} == set(by_requester)
    given = [message for page in pages if page.requester == "new#1" for message in page.messages]
    assert given == recorded.envelopes_of_all


@pytest.mark.broker
def test_a_start_goes_on_where_the_last_one_came_to(broker: Broker, tmp_path: Path) -> None:
    kafka = new_topics(broker.bootstrap)
    write_deliveries(tmp_path, conversation(6, messages=20))
    produce_to(kafka, kafka.topics.requests, [request_record(ALL, requester="first#1")])
    with answering(kafka, tmp_path) as running:
        wait_until(lambda: running.counts["answered"] == 1)
    produce_to(kafka, kafka.topics.requests, [request_record(ALL, requester="second#1")])
    with answering(kafka, tmp_path) as running:
        wait_until(lambda: running.counts["answered"] == 1)
    assert sorted(page.requester for page in pages_in(kafka)) == ["first#1", "second#1"]


@pytest.mark.broker
def test_the_newest_request_counts_and_what_is_too_old_is_dropped(
    broker: Broker, tmp_path: Path
) -> None:
    kafka = new_topics(broker.bootstrap)
    write_deliveries(tmp_path, conversation(7, messages=20))
    produce_to(kafka, kafka.topics.requests, [request_record(ALL, seq=1)])
    with answering(kafka, tmp_path, late_ms=STALE_MS + 60_000) as running:
        wait_until(lambda: running.counts["stale"] == 1)
    asked = [request_record(ALL, seq=seq) for seq in (2, 4, 3)]
    produce_to(kafka, kafka.topics.requests, asked)
    with answering(kafka, tmp_path) as running:
        wait_until(lambda: running.counts["answered"] + running.counts["superseded"] == 3)
    assert max(page.request_seq for page in pages_in(kafka)) == 4
    assert min(page.request_seq for page in pages_in(kafka)) > 1


@pytest.mark.broker
def test_without_tables_the_requester_is_told_and_later_answered(
    broker: Broker, tmp_path: Path
) -> None:
    kafka = new_topics(broker.bootstrap)
    produce_to(kafka, kafka.topics.requests, [request_record(ALL, requester="early#1")])
    with answering(kafka, tmp_path) as running:
        wait_until(lambda: running.counts["answered"] == 1)
        write_deliveries(tmp_path, conversation(8, messages=5))
        produce_to(kafka, kafka.topics.requests, [request_record(ALL, requester="early#1", seq=2)])
        wait_until(lambda: running.counts["answered"] == 2)
    first, second = pages_in(kafka)
    assert "no Delta table" in first.problem
    assert len(second.messages) == 5


@pytest.mark.parametrize(
    ("failure", "words"),
    [
        (DestinationError("the disk is away"), "the disk is away"),
        (ValueError("a slip"), "its log has the reason"),
    ],
)
def test_a_request_that_fails_is_told_so_and_stops_nothing(
    monkeypatch: pytest.MonkeyPatch, failure: Exception, words: str
) -> None:
    def fail(*_: object) -> Iterator[Page]:
        raise failure

    monkeypatch.setattr(module, "pages_of", fail)
    (page,) = answers(Recorded([]), Asked("g", "bob#1", 1, ALL))
    assert page.is_last
    assert words in page.problem


@pytest.mark.parametrize("value", [b"", b"junk", wire("a", 1), request_record(Have((), 0))[1]])
def test_what_is_no_request_is_refused(value: bytes) -> None:
    with pytest.raises(WireError):
        read_request(value)


def test_a_request_says_who_wants_what_of_which_group() -> None:
    _, value = request_record(ALL, requester="bob#3", seq=9, group="dev")
    assert read_request(value) == Asked("dev", "bob#3", 9, ALL)
