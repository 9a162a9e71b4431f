"""The plain case: messages that are delivered at once and concern nobody else, by their bare parts.

Nearly every message of a quiet network is one: its sender may speak, its seq is new, its parent is
delivered, and nobody waits for it. A host that has such messages by their parts need not make
values of them, nor be told events: it shows a stretch of its log, says which messages of it are
this group's, and hears which one is not plain; the others' positions are written down for it::

    deliver = engine.plain_case()
    parts = ["alice#1", 7, "bob#1", 3, b"hello", 0,    "alice#1", 8, "", 0, b"again", 5,    ...]
    arrivals = Arrivals(parts, longest=5)
    place = deliver(arrivals, positions)      # all of the group's before this place are delivered
    engine.receive(...)                       # the one at it is not plain: untouched
    place = deliver(arrivals, positions)      # and so on, until it is None

It is the first branch of `receive_by_parent` and gives what that would give. The host must have let
the log's time reach the messages' (`Engine.advance`) before it asks.

The parts of a group's messages are one flat list, because the messages of a group stand far apart
in a log: to fetch a value for each from wherever it lies costs more than to judge it.
"""

from collections.abc import Callable, Iterator
from typing import Any, Final, TypeAlias

from ordering.member import Member
from ordering.names import admit
from ordering.state import GroupState
from ordering.values import MemberId, MessageId

PARTS: Final = 6
"""Of each message: sender, seq, the parent's sender and seq, or "" and 0, content, place."""
SENDER, SEQ, PARENT_SENDER, PARENT_SEQ, CONTENT, PLACE = range(PARTS)


class Arrivals:
    """The messages of one group in a stretch, and how far they are taken."""

    __slots__ = ("longest", "parts", "rest", "taken")

    def __init__(self, parts: list[Any], longest: int) -> None:
        """`longest` is how long their contents are at most, or those of the whole stretch."""
        self.parts = parts
        self.longest = longest
        each = iter(parts)
        self.rest: Iterator[tuple[str, int, str, int, bytes, int]] = zip(
            each, each, each, each, each, each, strict=True
        )
        """the messages that are not taken yet"""
        self.taken = 0

    def take(self) -> int | None:
        """Take the next message as it is; gives its place, or None if there is none."""
        for *_, place in self.rest:
            self.taken += 1
            return place
        return None


PlainCase: TypeAlias = Callable[[Arrivals, list[int]], int | None]
"""a group's messages, and the list for positions -> the place of the next that is not plain"""


def deliver_plainly(state: GroupState, arrivals: Arrivals, positions: list[int]) -> int | None:
    """Deliver messages while their case is plain; write each one's position at its place.

    Gives the place of the first that is not plain, which is taken from the arrivals and must be
    received; None when there are no more.
    """
    if state.abandoned:
        return arrivals.take()
    find = state.members.get
    payload_bytes = state.policy.limits.payload_bytes
    is_any_long = arrivals.longest > payload_bytes
    is_any_waited_for = state.held_count > 0
    before = position = state.position
    maybe_place = None
    for sender, seq, parent_sender, parent_seq, content, place in arrivals.rest:
        member = find(sender)
        if (
            member is None
            or not (member.settled < seq and seq <= member.ceiling)
            or ((loose := member.loose) and seq in loose)
            or (is_any_waited_for and seq in member.nodes)
            or (is_any_long and len(content) > payload_bytes)
        ):
            answered = parent_sender, parent_seq
            if member or (member := _newcomer(state, sender, seq, answered, content)) is None:
                maybe_place = place
                break
            loose = member.loose
        if parent_seq:
            above = find(parent_sender)
            if above is None or not (
                (parent_seq < above.next and parent_seq > 0)
                or parent_seq in above.loose
                or (parent_seq <= above.settled and above.contains(parent_seq))
            ):
                maybe_place = place
                break
        if seq == member.next and not (loose or member.runs or member.skipped):
            member.next = seq + 1
            member.settled = seq
        else:
            member.add_loose(seq)
        position += 1
        positions[place] = position
    count = position - before
    state.position = position
    state.unfolded += count
    _remember(state, arrivals, count)
    arrivals.taken += count if maybe_place is None else count + 1
    return maybe_place


def _newcomer(
    state: GroupState, sender: str, seq: int, answered: tuple[str, int], content: bytes
) -> Member | None:
    """Let somebody in who has not been heard of; None if that asks for a closer look.

    So does a first message that has to wait: what is remembered of it says how it came in.
    """
    parent_sender, parent_seq = answered
    above = state.members.get(parent_sender)
    if parent_seq and (above is None or not above.contains(parent_seq)):
        return None
    if seq < 1 or len(content) > state.policy.limits.payload_bytes:
        return None
    if admit(state, MessageId(MemberId(sender), seq)) is not None:
        return None
    member = state.members[sender]
    return member if seq <= member.ceiling else None


def _remember(state: GroupState, arrivals: Arrivals, count: int) -> None:
    """Keep the newest of so many that were delivered in the window of recent deliveries."""
    kept = min(count, state.recent.width)
    if kept:
        end = PARTS * (arrivals.taken + count)
        begin = end - PARTS * kept
        parts = arrivals.parts
        state.recent.extend_plainly(
            senders=parts[begin:end:PARTS],
            seqs=parts[begin + SEQ : end : PARTS],
            contents=parts[begin + CONTENT : end : PARTS],
            through=state.position,
            now=state.now,
        )
