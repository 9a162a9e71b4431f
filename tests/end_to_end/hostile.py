"""Records that are meant to do harm: for every reason of quarantine, a group that brings it about.

Each attack has a group of its own, named for its reason, so that one look at the quarantine shows
what each came to. The bounds are small here; what they are in production changes nothing else.
"""

from __future__ import annotations

from dataclasses import replace

from ingest.wire.envelope import Envelope, Kind, encode, tick
from ordering.events import Reason
from ordering.policy import GiveUp, GroupPolicy, Limits
from ordering.stamps import CausalStamps
from ordering.values import GroupId, MemberId, MessageId
from ordering_udfs.group_policies import GroupPolicies, PatternPolicy
from tests.messages import wire

SECOND_US = 1_000_000
SMALL = Limits(
    held_per_sender=4,
    held_per_group=6,
    held_reserve=0,
    members=5,
    incarnations_per_name=3,
    gaps_per_member=3,
    vector_width=3,
    parents=2,
    payload_bytes=200,
    sequence_jump=1_000,
    incarnation_grace_us=SECOND_US,
)

NOT_FROM_THE_WIRE = {
    Reason.SEQUENCE_INVALID: "the envelope refuses it first (bad_seq)",
}


def policies() -> GroupPolicies:
    """Small bounds for the attacked groups; the others are as in production."""
    default = GroupPolicy()
    small = replace(default, limits=SMALL)
    causal = replace(small, discipline="causal")
    giving_up = replace(small, give_up=GiveUp.QUARANTINE, after_us=SECOND_US)
    return GroupPolicies(
        default,
        (
            PatternPolicy("vector_too_wide", causal),
            PatternPolicy("stamps_malformed", causal),
            PatternPolicy("gave_up", giving_up),
            *(PatternPolicy(reason.value, small) for reason in Reason),
        ),
    )


def attacks() -> dict[Reason, list[bytes]]:
    """For each reason, records that end in it."""
    return _lies() | _floods()


def _lies() -> dict[Reason, list[bytes]]:
    """Messages that say what cannot be."""
    wide = CausalStamps(tuple(f"{name}#1" for name in "abcd"), (1,) * 4)
    uneven = CausalStamps(("a#1", "b#1"), (1,))
    equivocation, large = Reason.EQUIVOCATION, Reason.PAYLOAD_TOO_LARGE
    return {
        equivocation: [
            _of(equivocation, "a", 1),
            wire("a", 1, group=equivocation.value, payload=b"another"),
        ],
        Reason.SELF_PARENT: [_of(Reason.SELF_PARENT, "a", 1, ("a", 1))],
        Reason.CYCLE: [
            _of(Reason.CYCLE, "a", 1, ("b", 1)),
            _of(Reason.CYCLE, "b", 1, ("a", 1)),
        ],
        Reason.SEQUENCE_JUMP: [
            _of(Reason.SEQUENCE_JUMP, "a", 1),
            _of(Reason.SEQUENCE_JUMP, "a", 5_000),
        ],
        large: [wire("a", 1, group=large.value, payload=bytes(500))],
        Reason.TOO_MANY_PARENTS: [
            _of(Reason.TOO_MANY_PARENTS, "a", 1, ("b", 1), ("c", 1), ("d", 1))
        ],
        Reason.VECTOR_TOO_WIDE: [_stamped(Reason.VECTOR_TOO_WIDE, wide)],
        Reason.STAMPS_MALFORMED: [_stamped(Reason.STAMPS_MALFORMED, uneven)],
    }


def _floods() -> dict[Reason, list[bytes]]:
    """More than there is room for, and what waits for ever."""
    superseded, incarnations = Reason.SUPERSEDED_INCARNATION, Reason.INCARNATIONS_FULL
    by_sender, by_group = Reason.HELD_BY_SENDER_FULL, Reason.HELD_BY_GROUP_FULL
    ghost = MessageId(MemberId("ghost#1"), 1)
    return {
        Reason.SETTLED: [_of(Reason.SETTLED, "a", seq) for seq in (2, 4, 6, 8, 10, 12, 14, 1)],
        Reason.MEMBERS_FULL: [_of(Reason.MEMBERS_FULL, sender, 1) for sender in "abcdefgh"],
        superseded: [
            *(_incarnated(superseded, "a", number) for number in (1, 2, 3, 4, 5)),
            _incarnated(superseded, "a", 1, seq=2),
        ],
        incarnations: [_incarnated(incarnations, "a", number, ghost) for number in (1, 2, 3, 4)],
        by_sender: [_of(by_sender, "a", seq, ("ghost", 1)) for seq in range(1, 8)],
        by_group: [_of(by_group, name, seq, ("a", 900)) for seq in (1, 2, 3) for name in "abc"],
        Reason.GAVE_UP: [_of(Reason.GAVE_UP, sender, 1, ("ghost", 1)) for sender in "ab"],
    }


def _of(reason: Reason, sender: str, seq: int, *parents: tuple[str, int]) -> bytes:
    return wire(sender, seq, *parents, group=reason.value)


def _stamped(reason: Reason, stamps: CausalStamps) -> bytes:
    group, sender = GroupId(reason.value), MemberId("a#1")
    return encode(Envelope(Kind.MESSAGE, group, sender, 1, stamps=stamps))


def _incarnated(reason: Reason, name: str, number: int, *parents: MessageId, seq: int = 1) -> bytes:
    group, sender = GroupId(reason.value), MemberId(f"{name}#{number}")
    return encode(Envelope(Kind.MESSAGE, group, sender, seq, parents, b"again"))


def ticks(first: int, last: int) -> list[bytes]:
    """Let seconds pass, one at a time."""
    return [encode(tick(second * SECOND_US)) for second in range(first, last)]
