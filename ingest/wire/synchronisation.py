"""The bodies of synchronisation: what the payload of an envelope of kind SYNCHRONISATION says.

    request    this is what I have, and this is what I want       (the envelope's seq counts them)
    response   messages that a requester lacks, as many as fit    (their own bytes, unchanged)
    have       this is what I have                                (told from time to time)

Messages travel as the datagrams that their senders made, so that their tags stay good and two
copies of one message never differ. A response that does not fit one datagram goes in pages, each
whole by itself; `remaining` says how many messages its sender has still to say. The service can
answer a request from its history with the same bodies. MessagePack, decoded into exactly these
types; `decode_synchronisation` raises WireError and nothing else.
"""

from enum import IntEnum
from typing import Annotated, Final, TypeAlias

import msgspec

from ingest.wire import bounds
from ingest.wire.errors import WireError, WireReason
from ingest.wire.holdings import Holding, check_holdings, check_member

MESSAGES_PER_PAGE: Final = 1_024
"""The smallest envelope has some 45 bytes, so that a datagram has no room for more."""

MESSAGE_BYTES: Final = 60_000
"""The longest message that a page can carry: a datagram has 65,507 bytes, the page's own envelope
at most some 900 of them (three names and the fixed prefix); the rest is spare for a tag."""

PAGE_FIXED_BYTES: Final = 64
"""What a page has beside its messages and the requester's name, at most."""

PER_MESSAGE_BYTES: Final = 5
"""What MessagePack puts in front of each message, at most."""

LAST: Final = 1_000_000
"""How many messages a newcomer may ask for by number."""

_Pid = Annotated[str, msgspec.Meta(max_length=bounds.MEMBER_BYTES)]
_Seq = Annotated[int, msgspec.Meta(ge=1, le=bounds.SEQ_LAST)]


class Wanted(IntEnum):
    """What a requester wants of all that it does not have. Never reuse a number."""

    EVERYTHING = 1
    LAST = 2
    THREAD = 3
    NOTHING = 4
    """only to be told what there is"""
    EXACTLY = 5


class Request(msgspec.Struct, array_like=True, frozen=True, tag=1):
    """What the sender of this envelope has, and what it wants."""

    have: tuple[Holding, ...]
    wanted: Wanted
    last: Annotated[int, msgspec.Meta(ge=0, le=LAST)] = 0
    maybe_thread: tuple[_Pid, _Seq] | None = None
    exactly: tuple[Holding, ...] = ()
    is_whole: bool = True
    """whether a member that `have` leaves out is one of which the sender has nothing"""


class Response(msgspec.Struct, array_like=True, frozen=True, tag=2):
    """A page of messages for a requester; everybody may take them."""

    requester: _Pid
    request_seq: _Seq
    remaining: Annotated[int, msgspec.Meta(ge=0, le=bounds.SEQ_LAST)]
    messages: tuple[bytes, ...]


class Have(msgspec.Struct, array_like=True, frozen=True, tag=3):
    """What the sender of this envelope has; `members_digest` sums up whom it takes for members.

    `maybe_requester` and `request_seq` name the request that this answers, if it answers one.
    """

    have: tuple[Holding, ...]
    members_digest: Annotated[int, msgspec.Meta(ge=0, lt=2**32)]
    maybe_requester: _Pid | None = None
    request_seq: Annotated[int, msgspec.Meta(ge=0, le=bounds.SEQ_LAST)] = 0
    is_whole: bool = True
    """as in a request"""
    chosen: tuple[Holding, ...] = ()
    """what a newcomer wants that wants the last messages or a thread"""


SynchronisationBody: TypeAlias = Request | Response | Have

_DECODER: Final[msgspec.msgpack.Decoder[SynchronisationBody]] = msgspec.msgpack.Decoder(
    SynchronisationBody
)
_ENCODER: Final = msgspec.msgpack.Encoder()


def encode_synchronisation(body: SynchronisationBody) -> bytes:
    """Write a body. Raises WireError for one that `decode_synchronisation` would refuse."""
    _check(body)
    return _ENCODER.encode(body)


def decode_synchronisation(payload: bytes) -> SynchronisationBody:
    """Read a body. Raises WireError and nothing else, whatever the bytes."""
    try:
        body = _DECODER.decode(payload)
    except Exception as error:  # also RecursionError and UnicodeError: all are bad bytes
        raise WireError(WireReason.BAD_BODY, f"no record of synchronisation: {error}") from None
    _check(body)
    return body


def _check(body: SynchronisationBody) -> None:
    if isinstance(body, Response):
        check_member(body.requester)
        if len(body.messages) > MESSAGES_PER_PAGE:
            raise WireError(
                WireReason.BAD_BODY,
                f"{len(body.messages)} messages in a page; at most {MESSAGES_PER_PAGE}",
            )
        return
    check_holdings(body.have)
    if isinstance(body, Have):
        check_holdings(body.chosen)
        if body.maybe_requester is not None:
            check_member(body.maybe_requester)
        return
    check_holdings(body.exactly)
    if body.maybe_thread is not None:
        check_member(body.maybe_thread[0])
    if (body.wanted is Wanted.THREAD) != (body.maybe_thread is not None):
        raise WireError(
            WireReason.BAD_BODY, "a thread is named by who wants one, and by nobody else"
        )
