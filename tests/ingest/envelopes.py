"""Envelopes for the tests of the edge: one plain example, and strategies for any valid one."""

from typing import TypeVar

from hypothesis import strategies as st

from ingest.wire import bounds
from ingest.wire.envelope import Envelope, Kind
from ordering.stamps import CausalStamps, ObjectStamps, SignificantStamps, Stamps
from ordering.values import GroupId, MemberId, MessageId

T = TypeVar("T")

_NAME_CHARACTERS = st.characters(exclude_categories=["Cc", "Cs"])
_SHORT_TEXT = st.text(_NAME_CHARACTERS, min_size=1, max_size=20)


def plain(seq: int = 1, *, group: str = "dev", sender: str = "alice#1") -> Envelope:
    """Give a small valid message."""
    return Envelope(
        Kind.MESSAGE, GroupId(group), MemberId(sender), seq, payload=b"hello", sent_at=1_000_000
    )


def members() -> st.SearchStrategy[MemberId]:
    incarnations = st.integers(1, bounds.INCARNATION_LAST)
    return st.builds(lambda name, n: MemberId(f"{name}#{n}"), _SHORT_TEXT, incarnations)


def message_ids() -> st.SearchStrategy[MessageId]:
    return st.builds(MessageId, members(), st.integers(1, bounds.SEQ_LAST))


def stamps() -> st.SearchStrategy[Stamps]:
    """Draw stamps of any kind; what their numbers mean is the engine's affair, not the wire's."""
    number = st.integers(0, bounds.SEQ_LAST)
    numbers = _tuples(number)
    names = _tuples(members())
    causal = st.builds(CausalStamps, names, numbers, numbers, names, numbers, number)
    significant = st.builds(
        SignificantStamps, number, names, numbers, number, _SHORT_TEXT, _SHORT_TEXT, number
    )
    vectors = _tuples(st.tuples(number, number, number))
    objects = st.builds(
        ObjectStamps,
        number, number, st.booleans(), _SHORT_TEXT, _SHORT_TEXT, names, names, vectors,
    )  # fmt: skip
    return st.one_of(causal, significant, objects)


def _tuples(items: st.SearchStrategy[T]) -> st.SearchStrategy[tuple[T, ...]]:
    return st.lists(items, max_size=3).map(tuple)


def envelopes() -> st.SearchStrategy[Envelope]:
    """Draw any envelope that has a sender: every kind but the tick."""
    tags = st.one_of(
        st.just((0, b"", False)),
        st.tuples(
            st.integers(0, bounds.KEY_ID_LAST),
            st.binary(min_size=1, max_size=bounds.TAG_BYTES),
            st.booleans(),
        ),
    )
    untagged = st.builds(
        Envelope,
        kind=st.sampled_from([kind for kind in Kind if kind is not Kind.TICK]),
        group=st.builds(GroupId, _SHORT_TEXT),
        sender=members(),
        seq=st.integers(1, bounds.SEQ_LAST),
        parents=st.lists(message_ids(), max_size=5).map(tuple),
        payload=st.binary(max_size=300),
        sent_at=st.integers(0, bounds.SENT_AT_LAST),
        stamps=st.one_of(st.none(), stamps()),
    )
    return st.builds(
        lambda e, tag: e._replace(key_id=tag[0], tag=tag[1], is_sealed=tag[2]), untagged, tags
    )
