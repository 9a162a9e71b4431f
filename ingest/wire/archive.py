"""Answers of the service: pages of what a member lacks, from the history of its group.

A member asks with the same `Request` as it asks other members (`ingest.wire.synchronisation`), in
an envelope of its own, over the topic `requests`. The answer comes over the topic `answers`:

    page 1   positions 7, 8, 11   messages ...   remaining 2    and `have`: all that was delivered
    page 2   positions 12, 15     messages ...   remaining 0    is_last

Messages are their senders' own bytes, in the order of delivery. Positions ascend through all pages
of an answer, so whoever remembers the last one drops a page that comes twice. An answer is bounded;
when its last page leaves something remaining, the member asks again with what it has by then.
"""

from typing import Annotated, Final

import msgspec

from ingest.wire import bounds
from ingest.wire.errors import WireError, WireReason
from ingest.wire.holdings import Holding, check_holdings, check_member
from ingest.wire.synchronisation import MESSAGES_PER_PAGE

PAGE_BYTES: Final = 512 * 1024
"""Messages in one page: half of what a broker takes as one record unless it is told otherwise."""

PROBLEM_CHARACTERS: Final = 500
"""A sentence."""

_Pid = Annotated[str, msgspec.Meta(max_length=bounds.MEMBER_BYTES)]
_Count = Annotated[int, msgspec.Meta(ge=0, le=bounds.SEQ_LAST)]
_Seq = Annotated[int, msgspec.Meta(ge=1, le=bounds.SEQ_LAST)]


class Page(msgspec.Struct, array_like=True, frozen=True, tag=1, kw_only=True):
    """One page of an answer to one member."""

    group: Annotated[str, msgspec.Meta(max_length=bounds.GROUP_BYTES)]
    requester: _Pid
    request_seq: _Seq
    number: _Seq
    """1, 2, 3 ... of this answer"""
    is_last: bool
    remaining: _Count
    """what the requester wants and lacks beyond this page, in this answer or in the next"""
    positions: tuple[_Seq, ...] = ()
    messages: tuple[bytes, ...] = ()
    have: tuple[Holding, ...] = ()
    """on the first page: what was delivered, as runs"""
    is_whole: bool = True
    """whether `have` names everybody of whom anything was delivered"""
    problem: Annotated[str, msgspec.Meta(max_length=PROBLEM_CHARACTERS)] = ""
    """why there is no answer, in a sentence; empty if there is one"""


_DECODER: Final[msgspec.msgpack.Decoder[Page]] = msgspec.msgpack.Decoder(Page)
_ENCODER: Final = msgspec.msgpack.Encoder()


def encode_page(page: Page) -> bytes:
    """Write a page. Raises WireError for one that `decode_page` would refuse."""
    _check(page)
    return _ENCODER.encode(page)


def decode_page(value: bytes) -> Page:
    """Read a page. Raises WireError and nothing else, whatever the bytes."""
    try:
        page = _DECODER.decode(value)
    except Exception as error:  # also RecursionError and UnicodeError: all are bad bytes
        raise WireError(WireReason.BAD_BODY, f"no page of an answer: {error}") from None
    _check(page)
    return page


def _check(page: Page) -> None:
    check_member(page.requester)
    check_holdings(page.have)
    if len(page.positions) != len(page.messages) or len(page.messages) > MESSAGES_PER_PAGE:
        raise WireError(
            WireReason.BAD_BODY,
            f"{len(page.positions)} positions and {len(page.messages)} messages in a page;"
            f" as many of both, and at most {MESSAGES_PER_PAGE}",
        )
    before = 0
    for position in page.positions:
        if position <= before:
            raise WireError(WireReason.BAD_BODY, f"position {position} follows {before} in a page")
        before = position
