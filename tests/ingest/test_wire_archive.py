"""Laws of the service's pages: they come back as they were, and nothing else gets through."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.wire.archive import PAGE_BYTES, Page, decode_page, encode_page
from ingest.wire.errors import WireError
from ingest.wire.holdings import Holding
from ingest.wire.synchronisation import MESSAGE_BYTES, MESSAGES_PER_PAGE

PLAIN = Page(group="dev", requester="bob#2", request_seq=7, number=1, is_last=True, remaining=0)
FULL = Page(
    group="dev",
    requester="bob#2",
    request_seq=7,
    number=2,
    is_last=False,
    remaining=12,
    positions=(3, 9),
    messages=(b"one", b"two"),
    have=(Holding("alice#1", (1, 40, 42, 57)),),
    is_whole=False,
    problem="the disk is away",
)


@pytest.mark.parametrize("page", [PLAIN, FULL])
def test_a_page_comes_back_as_it_was(page: Page) -> None:
    assert decode_page(encode_page(page)) == page


@given(st.binary(max_size=200))
def test_whatever_the_bytes_nothing_but_a_wire_error_is_raised(raw: bytes) -> None:
    try:
        decode_page(raw)
    except WireError:
        return


@given(st.sampled_from([PLAIN, FULL]), st.integers(0, 200), st.integers(0, 255))
def test_one_changed_byte_is_another_page_or_refused(page: Page, at: int, value: int) -> None:
    raw = bytearray(encode_page(page))
    raw[at % len(raw)] = value
    try:
        decode_page(bytes(raw))
    except WireError:
        return


@pytest.mark.parametrize(
    ("positions", "messages"),
    [
        ((1,), ()),
        ((2, 2), (b"", b"")),
        ((5, 3), (b"", b"")),
        (tuple(range(1, MESSAGES_PER_PAGE + 2)), (b"",) * (MESSAGES_PER_PAGE + 1)),
    ],
)
def test_positions_ascend_and_stand_beside_their_messages(
    positions: tuple[int, ...], messages: tuple[bytes, ...]
) -> None:
    with pytest.raises(WireError):
        encode_page(
            Page(
                group="dev",
                requester="bob#2",
                request_seq=1,
                number=1,
                is_last=True,
                remaining=0,
                positions=positions,
                messages=messages,
            )
        )


def test_a_page_has_room_for_the_longest_message() -> None:
    assert MESSAGE_BYTES < PAGE_BYTES
