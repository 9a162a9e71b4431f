"""How much a member keeps and how fast it goes: every bound of this room, with its reason.

A program gives other numbers by `MemberLimits(store_messages=100)` or `Pace(tell_after_us=...)`;
the defaults suit a local network with up to some fifty members in a group.
"""

from dataclasses import dataclass
from typing import Final

from ordering.policy import HOUR_US, SECOND_US, Limits

MILLISECOND_US: Final = 1_000


@dataclass(frozen=True, slots=True)
class Pace:
    """When a member asks, answers and tells. Microseconds."""

    ask_after_us: int = 40 * MILLISECOND_US
    """how long a gap may stay open before it is asked for: what is only late comes by itself"""
    ask_again_us: int = 250 * MILLISECOND_US
    """when an unanswered request is repeated; doubles each time, and a random half is added"""
    ask_longest_us: int = 8 * SECOND_US
    """where that doubling ends"""
    asks: int = 6
    """requests for the same gap before it is told as unanswered; it is asked for again when
    somebody says to have it"""
    answer_within_us: int = 40 * MILLISECOND_US
    """the random time before an answer, in which another's answer makes it needless: several
    round trips, or everybody answers"""
    turn_every_us: int = 5 * MILLISECOND_US
    """time between two bursts of a long answer, in which receivers empty their buffers"""
    pages_per_turn: int = 8
    """datagrams in one burst"""
    tell_after_us: int = 1 * SECOND_US
    """when a member tells what it has after something changed, so that the loss of a last message
    is found; longer in groups of more than four, so that a group's traffic does not grow with it"""
    tell_longest_us: int = 30 * SECOND_US
    """how long a quiet group is quiet; every telling that changes nothing doubles the time"""
    confirm_after_us: int = 20 * MILLISECOND_US
    """how long a confirmation waits for a message of its own to travel on (the paper's k)"""
    archive_again_us: int = 4 * SECOND_US
    """when a request to the service is repeated; doubles each time. An answer takes some tenths of
    a second, and one that comes after the next request is not taken"""

    archive_asks: int = 5
    """requests to the service in vain, over two minutes, before it is asked no more for the same"""

    suspect_after_us: int = 10 * SECOND_US
    """silence after which a member that owes a confirmation is taken for failed"""


@dataclass(frozen=True, slots=True)
class MemberLimits:
    """What a member keeps. What passes a bound is refused and counted, or the oldest goes."""

    known_groups: int = 256
    """groups that were seen and not joined; others' words must not fill memory"""
    members_per_group: int = 1_024
    """names in a group, current and left: as many as the engine takes"""
    incarnations_per_name: int = 16
    """restarts of one name that are told apart, as in the engine"""
    heard_ends: int = 4_096
    """ends of runs that others say exist of one member; beyond it a gap is found by other means"""
    store_messages: int = 16_384
    """messages of a group that are kept to answer others: a member that was away for minutes finds
    them; who was away for longer asks the service"""
    store_bytes: int = 32 * 1024 * 1024
    """the same in bytes, whichever is reached first"""
    requesters: int = 64
    """requests that are being answered at once in a group; one each, the newest counts"""
    recent_answers: int = 4_096
    """ids that were just on the air and are remembered for a moment, so that they are not given
    again: at ten thousand messages a second, some 400 pass in that time"""
    page_bytes: int = 1_400
    """messages in one page of an answer: an Ethernet frame, so that one loss costs one page. A
    longer message goes alone"""
    telling_bytes: int = 1_400
    """runs in one telling; a member with more tells them in turn"""
    answer_pages_per_second: int = 2_000
    """what a group's answers may take of the network: some 3 MB/s"""
    datagrams_per_second: int = 5_000
    """what is taken of one name, so that a flooding member costs the others little"""
    datagrams_burst: int = 10_000
    """what may come of one name at once"""
    names: int = 1_024
    """names whose quota is kept apart; more share one"""
    outbox: int = 1_024
    """own messages that wait for the flow condition; a program that sends more is told so"""
    buffers: int = 4_096
    """messages that a causal group may hold for the program, told to the others as `buf`"""
    window: int = 64
    """own messages without confirmation by all (the paper's W)"""
    buffer_share: int = 2
    """the paper's H: which part of the others' buffers is left to them"""


def engine_limits() -> Limits:
    """Give the bounds of a member's own engine.

    It holds less than the service's, and waits longer for an old incarnation's last words, which
    synchronisation may bring after a long partition.
    """
    return Limits(
        held_per_sender=2_000, held_per_group=20_000, incarnation_grace_us=7 * 24 * HOUR_US
    )
