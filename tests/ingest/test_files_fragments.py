import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.files import fragments
from ingest.files.errors import FileReason
from ingest.files.fragments import PATIENCE_US, Reassembler
from ingest.files.internet import InternetPacket
from ingest.files.packet import Tally

CONTENT = bytes(range(256)) * 16


def _pieces(
    content: bytes = CONTENT, *, size: int = 1_480, number: int = 1
) -> list[InternetPacket]:
    return [
        InternetPacket(b"s", b"t", content[at : at + size], number, at, at + size < len(content))
        for at in range(0, len(content), size)
    ]


def _join(packets: list[InternetPacket], *, step_us: int = 0) -> tuple[list[bytes], Tally]:
    tally = Tally()
    reassembler = Reassembler(tally)
    whole = []
    for number, packet in enumerate(packets):
        tally.records += 1
        maybe_whole = reassembler.join(packet, now=number * step_us)
        if maybe_whole is not None:
            tally.datagrams += 1
            whole.append(maybe_whole.content)
    reassembler.end()
    assert tally.records == tally.datagrams + tally.joined + tally.left_out.total()
    return whole, tally


@given(st.integers(1, 60).map(lambda n: n * 8), st.integers(0, 2**32))
def test_pieces_in_any_order_and_some_of_them_twice_give_the_datagram(size: int, seed: int) -> None:
    pieces = _pieces(CONTENT[:3_000], size=size)
    chooser = random.Random(seed)
    last = pieces.pop(chooser.randrange(len(pieces)))
    shuffled = pieces + chooser.sample(pieces, len(pieces) // 2)
    chooser.shuffle(shuffled)
    whole, tally = _join([*shuffled, last])
    assert whole == [CONTENT[:3_000]]
    assert not tally.left_out


def test_datagrams_in_pieces_among_each_other_are_kept_apart() -> None:
    one, other = _pieces(b"a" * 4_000, number=1), _pieces(b"b" * 4_000, number=2)
    mixed = [piece for pair in zip(one, other, strict=True) for piece in pair]
    assert _join(mixed)[0] == [b"a" * 4_000, b"b" * 4_000]


def test_pieces_without_the_others_are_counted_at_the_end() -> None:
    whole, tally = _join(_pieces()[:-1])
    assert whole == []
    assert tally.left_out == {FileReason.FRAGMENT_MISSING: 2}


def test_pieces_that_come_too_late_are_not_joined_to_an_old_datagram() -> None:
    whole, tally = _join(_pieces(), step_us=PATIENCE_US + 1)
    assert whole == []
    assert tally.left_out == {FileReason.FRAGMENT_MISSING: 3}


@pytest.mark.parametrize(
    "bad",
    [
        InternetPacket(b"s", b"t", b"other!!!" * 185, 1, 0, True),
        InternetPacket(b"s", b"t", b"overlaps", 1, 8, True),
        InternetPacket(b"s", b"t", b"beyond the end", 1, 65_528, False),
        InternetPacket(b"s", b"t", b"second end", 1, 2_960, False),
        InternetPacket(b"s", b"t", b"", 1, 2_960, True),
        InternetPacket(b"s", b"t", b"not by 8", 1, 4_800, False),
        InternetPacket(b"s", b"t", b"nine byte", 1, 2_960, True),
    ],
)
def test_pieces_that_contradict_each_other_spoil_the_datagram(bad: InternetPacket) -> None:
    first, second, last = _pieces()
    whole, tally = _join([first, last, bad])
    assert whole == []
    assert tally.left_out[FileReason.BAD_FRAGMENT] == 3
    whole, _ = _join([first, last, bad, *_pieces(number=2), second])
    assert whole == [CONTENT]


def test_more_datagrams_than_the_bound_give_up_the_oldest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fragments, "MOST_OPEN", 3)
    begun = [_pieces(number=number)[0] for number in range(1, 5)]
    whole, tally = _join([*begun, *_pieces(number=4)[1:], *_pieces(number=1)[1:]])
    assert whole == [CONTENT]
    assert tally.left_out == {FileReason.FRAGMENT_MISSING: 5}


def test_a_datagram_of_too_many_pieces_is_spoilt(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fragments, "MOST_PIECES", 4)
    whole, tally = _join(_pieces(size=512))
    assert whole == []
    assert tally.left_out[FileReason.BAD_FRAGMENT] >= 5
