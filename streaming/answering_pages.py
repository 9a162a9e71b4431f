"""The pages of one answer: bounded, in the order of positions, each with what is still to come."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple, Protocol

from msgspec.structs import replace

from ingest.wire.archive import PAGE_BYTES, PROBLEM_CHARACTERS, Page
from ingest.wire.holdings import holdings_of
from ingest.wire.synchronisation import MESSAGE_BYTES, MESSAGES_PER_PAGE, Request
from streaming.answering_choice import Deliveries, choose

ANSWER_BYTES: Final = 16 * 1024 * 1024
"""Messages in one answer, in bytes; whichever of this and `ANSWER_MESSAGES` is reached first."""

READ_AT_ONCE: Final = 4_096
"""Messages that are read from the table together: each reading costs a look at all of its files.
At the longest that a member takes, these are some 245 MB."""

HAVE_BYTES: Final = 128 * 1024
"""What a first page tells of what there is: some thousand members with a few gaps each."""


class Envelopes(Deliveries, Protocol):
    """What `sinks.history.History` tells of a group, with the messages themselves."""

    def envelopes(
        self, group: str, positions: Sequence[int], *, most_bytes: int
    ) -> list[tuple[int, bytes]]:
        """The captured bytes at these positions, without those that are longer."""
        ...


class Asked(NamedTuple):
    """One request, and who sent it."""

    group: str
    requester: str
    request_seq: int
    request: Request


class Batch(NamedTuple):
    """The messages of one page; `passed` counts the chosen positions up to its end."""

    passed: int
    given: tuple[tuple[int, bytes], ...]


def pages_of(history: Envelopes, asked: Asked) -> Iterator[Page]:
    """Answer one request. There is always a last page, and it is marked."""
    choice = choose(history, asked.group, asked.request)
    have = holdings_of(choice.there.items(), most_bytes=HAVE_BYTES)
    waiting = _page(
        asked, remaining=choice.total, have=have, is_whole=len(have) == len(choice.there)
    )
    for batch in _batches(history, asked.group, choice.positions):
        if waiting.messages:
            yield waiting
            waiting = _page(asked, number=waiting.number + 1)
        waiting = replace(
            waiting,
            remaining=choice.total - batch.passed,
            positions=tuple(position for position, _ in batch.given),
            messages=tuple(message for _, message in batch.given),
        )
    yield replace(waiting, is_last=True)


def page_of_problem(asked: Asked, problem: str) -> Page:
    """Say that there is no answer, and why."""
    return _page(asked, is_last=True, problem=problem[:PROBLEM_CHARACTERS])


def _page(asked: Asked, **parts: object) -> Page:
    fields = {"number": 1, "is_last": False, "remaining": 0, **parts}
    return Page(
        group=asked.group,
        requester=asked.requester,
        request_seq=asked.request_seq,
        **fields,  # type: ignore[arg-type]
    )


def _batches(history: Envelopes, group: str, positions: list[int]) -> Iterator[Batch]:
    """Cut what is given into pages; stops when the answer is as long as it may be."""
    size = 0
    for start in range(0, len(positions), READ_AT_ONCE):
        part = positions[start : start + READ_AT_ONCE]
        places = {position: start + number for number, position in enumerate(part, start=1)}
        given: list[tuple[int, bytes]] = []
        page_size = 0
        for position, message in history.envelopes(group, part, most_bytes=MESSAGE_BYTES):
            is_full = len(given) == MESSAGES_PER_PAGE or page_size + len(message) > PAGE_BYTES
            if given and is_full:
                yield Batch(places[given[-1][0]], tuple(given))
                given, page_size = [], 0
                if size >= ANSWER_BYTES:
                    return
            given.append((position, message))
            page_size += len(message)
            size += len(message)
        yield Batch(start + len(part), tuple(given))
        if size >= ANSWER_BYTES:
            return
