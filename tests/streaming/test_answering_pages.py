"""Laws of an answer's pages: bounded, in order, once, with a true count of what is to come."""

from __future__ import annotations

import pytest

import streaming.answering_pages as module
from ingest.wire.archive import PAGE_BYTES, Page, decode_page, encode_page
from ingest.wire.synchronisation import MESSAGE_BYTES, MESSAGES_PER_PAGE, Request, Wanted
from streaming.answering_pages import Asked, page_of_problem, pages_of
from tests.messages import wire
from tests.streaming.recorded import Recorded, conversation

ALL = Request((), Wanted.EVERYTHING)


def answer(recorded: Recorded, request: Request = ALL) -> list[Page]:
    return list(pages_of(recorded, Asked("g", "bob#1", 7, request)))


def given(pages: list[Page]) -> list[bytes]:
    return [message for page in pages for message in page.messages]


def test_the_pages_together_are_the_answer_in_order() -> None:
    envelopes = conversation(1, messages=2_500)
    pages = answer(Recorded(envelopes, part=500))
    assert given(pages) == envelopes
    assert [page.number for page in pages] == [1, 2, 3]
    assert [page.is_last for page in pages] == [False, False, True]
    assert [page.remaining for page in pages] == [2_500 - 1_024, 2_500 - 2_048, 0]
    assert all(len(page.messages) <= MESSAGES_PER_PAGE for page in pages)
    assert all(decode_page(encode_page(page)) == page for page in pages)


def test_the_first_page_alone_tells_what_there_is() -> None:
    pages = answer(Recorded(conversation(1, messages=2_000), part=500))
    assert sum(one.runs[-1] for one in pages[0].have) == 2_000
    assert pages[0].is_whole
    assert all(not page.have for page in pages[1:])


def test_a_page_is_as_long_as_a_record_may_be_and_no_longer() -> None:
    envelopes = [wire("a", seq, payload=b"x" * 50_000) for seq in range(1, 31)]
    pages = answer(Recorded(envelopes))
    assert given(pages) == envelopes
    assert all(sum(map(len, page.messages)) <= PAGE_BYTES for page in pages)
    assert [page.remaining for page in pages] == [20, 10, 0]


def test_an_answer_ends_when_it_is_long_enough_and_says_that_more_is_there(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "ANSWER_BYTES", 600_000)
    envelopes = [wire("a", seq, payload=b"x" * 50_000) for seq in range(1, 31)]
    pages = answer(Recorded(envelopes))
    assert given(pages) == envelopes[:20]
    assert pages[-1].is_last
    assert pages[-1].remaining == 10


def test_what_no_member_would_take_is_passed_over() -> None:
    envelopes = [wire("a", 1), wire("a", 2, payload=b"x" * MESSAGE_BYTES), wire("a", 3)]
    (page,) = answer(Recorded(envelopes))
    assert page.messages == (envelopes[0], envelopes[2])
    assert page.remaining == 0


def test_who_lacks_nothing_gets_one_empty_last_page() -> None:
    (page,) = answer(Recorded([]))
    assert (page.messages, page.is_last, page.remaining) == ((), True, 0)
    (nothing,) = answer(Recorded(conversation(1, messages=5)), Request((), Wanted.NOTHING))
    assert not nothing.messages
    assert nothing.have


def test_a_problem_is_told_in_a_sentence_of_bounded_length() -> None:
    page = page_of_problem(Asked("g", "bob#1", 7, ALL), "x" * 10_000)
    assert page.is_last
    assert decode_page(encode_page(page)).problem == "x" * 500
