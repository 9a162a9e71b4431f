import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.wire import bounds
from ingest.wire.envelope import Envelope, Kind, encode
from ingest.wire.errors import WireError
from ingest.wire.holdings import Holding
from ingest.wire.multicast import DATAGRAM_BYTES
from ingest.wire.synchronisation import (
    MESSAGE_BYTES,
    MESSAGES_PER_PAGE,
    Have,
    Request,
    Response,
    SynchronisationBody,
    Wanted,
    decode_synchronisation,
    encode_synchronisation,
)
from ordering.values import GroupId, MemberId

HELD = (Holding("alice#1", (1, 40, 42, 57)), Holding("bob#2", (1, 3), is_open=False))
BODIES: list[SynchronisationBody] = [
    Request(HELD, Wanted.EVERYTHING),
    Request((), Wanted.LAST, last=20),
    Request(HELD, Wanted.THREAD, maybe_thread=("alice#1", 7)),
    Request(HELD, Wanted.EXACTLY, exactly=(Holding("alice#1", (41, 41)),)),
    Response("alice#1", 3, 12, (b"one", b"two")),
    Have(HELD, 2**32 - 1),
    Have((), 0, "alice#1", 3, is_whole=False, chosen=HELD),
]


@pytest.mark.parametrize("body", BODIES)
def test_a_body_comes_back_as_it_was(body: SynchronisationBody) -> None:
    assert decode_synchronisation(encode_synchronisation(body)) == body


@given(st.binary(max_size=200))
def test_whatever_the_bytes_nothing_but_a_wire_error_is_raised(raw: bytes) -> None:
    try:
        decode_synchronisation(raw)
    except WireError:
        return


@given(st.sampled_from(BODIES), st.integers(0, 200), st.integers(0, 255))
def test_one_changed_byte_is_another_body_or_refused(
    body: SynchronisationBody, at: int, value: int
) -> None:
    raw = bytearray(encode_synchronisation(body))
    raw[at % len(raw)] = value
    try:
        decode_synchronisation(bytes(raw))
    except WireError:
        return


@pytest.mark.parametrize(
    "body",
    [
        Response("alice#1", 1, 0, (b"",) * (MESSAGES_PER_PAGE + 1)),
        Response("alice", 1, 0, ()),
        Have((), 0, "alice"),
        Have((Holding("alice#1", (2, 1)),), 0),
        Have((), 0, chosen=(Holding("alice#1", (2, 1)),)),
        Request((Holding("alice#1", (2, 1)),), Wanted.NOTHING),
        Request((), Wanted.EXACTLY, exactly=(Holding("alice#1", (2, 1)),)),
        Request((), Wanted.THREAD),
        Request((), Wanted.LAST, maybe_thread=("alice#1", 1)),
        Request((), Wanted.THREAD, maybe_thread=("alice", 1)),
    ],
)
def test_what_would_be_refused_is_not_even_written(body: SynchronisationBody) -> None:
    with pytest.raises(WireError):
        encode_synchronisation(body)


@pytest.mark.parametrize(
    "body", [Response("alice#1", 0, 0, ()), Response("alice#1", 1, -1, ()), Have((), 2**32)]
)
def test_numbers_out_of_their_range_are_refused(body: SynchronisationBody) -> None:
    with pytest.raises(WireError):
        decode_synchronisation(encode_synchronisation(body))


def test_a_page_with_the_longest_message_and_the_longest_names_fits_one_datagram() -> None:
    pid = "p" * (bounds.MEMBER_BYTES - 2) + "#1"
    body = Response(pid, bounds.SEQ_LAST, bounds.SEQ_LAST, (b"x" * MESSAGE_BYTES,))
    envelope = Envelope(
        Kind.SYNCHRONISATION,
        GroupId("g" * bounds.GROUP_BYTES),
        MemberId(pid),
        1,
        payload=encode_synchronisation(body),
        key_id=1,
        tag=b"t" * bounds.TAG_BYTES,
    )
    assert len(encode(envelope)) <= DATAGRAM_BYTES
