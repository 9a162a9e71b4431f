"""Laws of packed deliveries: each id is found where it was delivered, whatever was forgotten."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ordering.events import Delivered
from ordering.past_deliveries import DIGEST_BYTES, PastDeliveries, digest
from ordering.policy import Limits
from ordering.values import MemberId
from tests.ordering.messages import ident, say
from tests.ordering.untimed import untimed

WIDTH = 4
RECENT_US = 10
LIMITS = Limits(recent_deliveries=WIDTH, recent_us=RECENT_US)
A, B = MemberId("a#1"), MemberId("b#1")


def batches(*names: tuple[str, int]) -> list[tuple[list[Delivered], int]]:
    """Deliveries from position 1 on, each with its instant: ("a1", 40)."""
    return [([Delivered(at, say(name))], when) for at, (name, when) in enumerate(names, start=1)]


def through_bytes(past: PastDeliveries, *, pids: list[MemberId], through: int) -> PastDeliveries:
    copy = PastDeliveries()
    plain = msgspec.msgpack.decode(msgspec.msgpack.encode(past.write()))
    copy.read(plain, pids=pids, through=through)
    return copy


@untimed
@given(
    st.lists(st.tuples(st.sampled_from("ab"), st.integers(0, 4)), max_size=9),
    st.integers(0, 12),
    st.booleans(),
)
def test_what_is_near_and_fresh_is_found_and_nothing_else(
    pauses: list[tuple[str, int]], wait: int, is_restored: bool
) -> None:
    now, spoken, told = 0, {"a": 0, "b": 0}, list[tuple[str, int]]()
    for name, pause in pauses:
        now += pause
        spoken[name] += 1
        told.append((f"{name}{spoken[name]}", now))
    past, now = PastDeliveries(), now + wait
    for batch in batches(*told):
        past.add([batch], pids=[A, B])
    past.cut(LIMITS, now=now)
    if is_restored:
        past = through_bytes(past, pids=[A, B], through=len(told))
    for position, (name, at) in enumerate(told, start=1):
        is_inside = position > len(told) - WIDTH and now - at < RECENT_US
        expected = (position, at, digest(name.encode())) if is_inside else None
        assert past.find(ident(name)) == expected
    assert past.find(ident("c1")) is None


def test_members_may_change_their_numbers_and_go() -> None:
    past = PastDeliveries()
    past.add(batches(("a1", 1), ("b1", 1)), pids=[A, B])
    past.add([], pids=[MemberId("0#1"), B])
    for one in (past, through_bytes(past, pids=[MemberId("0#1"), B], through=2)):
        assert one.write()[1] == ["a#1", 1]
        assert one.find(ident("a1")) == (1, 1, digest(b"a1"))
        assert one.find(ident("b1")) == (2, 1, digest(b"b1"))


def test_one_instant_is_written_once() -> None:
    past = PastDeliveries()
    past.add(batches(("a1", 7), ("a2", 7), ("b1", 8)), pids=[A, B])
    assert past.write()[:3] == [[7, 2, 8, 1], [0, 0, 1], [1, 2, 1]]


def test_what_was_given_out_never_changes() -> None:
    past = PastDeliveries()
    past.add(batches(("a1", 1), ("b1", 2)), pids=[A, B])
    given_out = past.write()
    before = msgspec.msgpack.encode(given_out)
    past.add([([Delivered(3, say("a2"))], 2)], pids=[A, B])
    past.cut(LIMITS, now=11)
    past.clear()
    assert msgspec.msgpack.encode(given_out) == before


def test_a_place_beyond_all_instants_is_an_error() -> None:
    past = PastDeliveries()
    past.read([[5, 1], [0, 0], [1, 2], bytes(2 * DIGEST_BYTES)], pids=[A], through=2)
    with pytest.raises(IndexError):
        past.find(ident("a2"))


def test_a_digest_is_short_and_says_the_same_in_every_process() -> None:
    assert digest(b"").hex() == "e4a6a0577479b2b4"
    assert len(digest(b"x" * 10_000)) == DIGEST_BYTES
    assert digest(b"a") != digest(b"b")
