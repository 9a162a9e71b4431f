"""The plain case: messages that are delivered at once and concern nobody else, by their bare parts.

Nearly every message of a quiet network is one: its sender is known, its seq is new, its parent is
delivered, and nobody waits for it. A host that has such messages by their parts need not make
values of them, nor be told events: it shows a stretch of its log, says where in it this group's
messages stand, and hears how far the plain case reaches; their positions are written down for it::

    deliver = engine.plain_case()
    parts = [(word, "alice#1", 7, "bob#1", 3), ..., (word, "alice#1", 8, "", 0), ...]
    places = [0, 5, 6, 9]                                   # this group's
    end = deliver(parts, contents, places, 0, positions)    # places[0:end] are delivered
    engine.receive(...)                                     # places[end] is not plain: untouched
    end = deliver(parts, contents, places, end + 1, positions)      # and so on

It is the first branch of `receive_by_parent` and gives what that would give. The host must have let
the log's time reach the messages' (`Engine.advance`) before it asks.
"""

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from ordering.state import GroupState

Parts: TypeAlias = tuple[Any, str, int, str, int]
"""a word of the host's own, sender, seq, and the parent's sender and seq, or "" and 0"""

PlainCase: TypeAlias = Callable[
    [Sequence[Parts], Sequence[bytes], Sequence[int], int, list[int]], int
]
"""parts and contents of messages, places of a group's among them, which of the places to begin
with, the list for the positions -> at which of the places the plain case ends"""


def deliver_plainly(
    state: GroupState,
    parts: Sequence[Parts],
    contents: Sequence[bytes],
    places: Sequence[int],
    begin: int,
    positions: list[int],
) -> int:
    """Deliver the messages at places[begin:] while their case is plain; write each one's position
    at its place in `positions`. Gives the number of the first that is not plain, or of all.
    """
    if state.abandoned:
        return begin
    find = state.members.get
    payload_bytes = state.policy.limits.payload_bytes
    before = position = state.position
    for at in range(begin, len(places)):
        place = places[at]
        _, sender, seq, parent_sender, parent_seq = parts[place]
        member = find(sender)
        if (
            member is None
            or not (member.settled < seq and seq <= member.ceiling)
            or seq in (loose := member.loose)
            or seq in member.nodes
            or len(contents[place]) > payload_bytes
        ):
            break
        if parent_seq:
            above = find(parent_sender)
            if above is None or not (
                (parent_seq < above.next and parent_seq > 0)
                or parent_seq in above.loose
                or (parent_seq <= above.settled and above.contains(parent_seq))
            ):
                break
        if seq == member.next and not (loose or member.runs or member.skipped):
            member.next = seq + 1
            member.settled = seq
        else:
            loose.add(seq)
        position += 1
        positions[place] = position
    count = position - before
    state.position = position
    state.unfolded += count
    _remember(state, parts, contents, places[begin : begin + count], positions)
    return begin + count


def _remember(
    state: GroupState,
    parts: Sequence[Parts],
    contents: Sequence[bytes],
    delivered: Sequence[int],
    positions: Sequence[int],
) -> None:
    """Keep the newest of what was delivered, by its places, in the window of recent deliveries."""
    width = state.recent.width
    newest = delivered[-width:] if width else ()
    state.recent.plain += [
        (positions[place], *parts[place][1:3], contents[place], state.now) for place in newest
    ]
