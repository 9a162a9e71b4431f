"""What an operator decides for a group: its discipline, when to give up, and how much is enough."""

from dataclasses import dataclass, field
from enum import StrEnum

from ordering.errors import PolicyRefused

SECOND_US = 1_000_000
HOUR_US = 3_600 * SECOND_US


class GiveUp(StrEnum):
    """What to do when something that a message waits for does not come."""

    HOLD = "hold"
    """wait for ever"""
    RELEASE = "release"
    """after a time, deliver what waits and mark it"""
    QUARANTINE = "quarantine"
    """after a time, quarantine what waits"""


class Acceptance(StrEnum):
    """At which level a causal group delivers; each name says what is certain then."""

    SIMPLE = "simple"
    """it was captured"""
    CONTINUOUS = "continuous"
    """so was everything its sender sent before it"""
    CAUSAL = "causal"
    """so was everything that causally precedes it"""
    RELIABLE = "reliable"
    """everyone it is for is known to have it"""
    CONTINUOUSLY_RELIABLE = "continuously_reliable"
    """and everything its sender sent before it"""
    FULL = "full"
    """and everything that causally precedes it"""


@dataclass(frozen=True, slots=True)
class Limits:
    """The bounds of one group. What passes one is quarantined with a reason, never dropped.

    One sender can use up its own room only: `held_per_sender` is per sender, and each sender keeps
    `held_reserve` even when the group as a whole is full.
    """

    held_per_sender: int = 20_000
    """a burst of one sender; also the longest chain it can build up out of order by itself"""
    held_per_group: int = 100_000
    """memory of one group; 100,000 held messages of 200 bytes are about 60 MB"""
    held_reserve: int = 64
    """so that a group filled by others still has room for a quiet sender"""
    members: int = 1_024
    """senders that a group remembers; each costs some 30 bytes of state for ever"""
    incarnations_per_name: int = 16
    """restarts of one name that are remembered; older ones are retired"""
    gaps_per_member: int = 4_096
    """what a member lost and nobody gave up; the lowest gap is settled when there are more"""
    vector_width: int = 1_024
    """entries of a vector: a wider one than there may be members is not honest"""
    parents: int = 64
    """a merge of more histories than this is split by its sender"""
    payload_bytes: int = 1_114_112
    """a message as its host keeps it: a payload of a mebibyte, and the envelope around it"""
    sequence_jump: int = 2**29
    """how far a sender may run ahead of its highest seen seq: hours of loss at ten thousand a
    second. Below 2**30 the interpreter compares numbers fastest"""
    recent_deliveries: int = 256
    """how many deliveries back an equivocation is recognised"""
    recent_us: int = 60 * SECOND_US
    """how long an equivocation is recognised, so that a quiet group forgets its window"""
    abandoned_per_sender: int = 256
    """given-up ids that are remembered, counted for the sender who first waited for them"""
    abandoned_us: int = HOUR_US
    """how long a given-up id is remembered"""
    incarnation_grace_us: int = 600 * SECOND_US
    """how long an older incarnation may still add new messages after a newer one was seen"""


@dataclass(frozen=True, slots=True)
class GroupPolicy:
    """Everything that decides how one group is ordered.

    `after_us` is how long a requirement is waited for; it needs a value unless `give_up` is
    HOLD. `delta_us` bounds the network's delay for the significant order. `conflicts` lists the
    pairs of operations whose order changes an object's state, for the orders of objects.
    """

    discipline: str = "semantic"
    give_up: GiveUp = GiveUp.HOLD
    after_us: int = 0
    acceptance: Acceptance = Acceptance.CAUSAL
    delta_us: int = 5 * SECOND_US
    conflicts: frozenset[tuple[str, str]] = frozenset()
    limits: Limits = field(default_factory=Limits)

    def __post_init__(self) -> None:
        if self.give_up is not GiveUp.HOLD and self.after_us <= 0:
            raise PolicyRefused(
                f"give_up is {self.give_up.value} but after_us is {self.after_us}:"
                " say after how many microseconds (more than 0), or choose hold"
            )
        for name in self.limits.__slots__:
            value = getattr(self.limits, name)
            if value < 0:
                raise PolicyRefused(f"limit {name} is {value}: it must be 0 or more")
