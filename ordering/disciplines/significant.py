"""Significant order: a message comes after another only where the objects' meaning asks for it.

Senders work out, by the tables (significant_tables.py), which earlier messages precede a new one,
and stamp the latest instant for each member (`preceding`). A message is delivered when, for each
member, everything that member sent up to that instant has been delivered, or the instant is more
than `delta_us` ago: the network's bound says that it would have come.

    alice sends a1 at 10 and a2 at 20; bob's b1 says alice: 20
    b1 waits until a1 and a2 are delivered, or until now is past 20 + delta

"Up to which instant everything has been delivered" is a frontier for each member. It moves when the
member's delivered prefix does:

    delivered of alice: 1 (sent at 10), 3 (at 30)      frontier 10
    2 (sent at 20) is delivered                        frontier 30
    or: 3 is older than delta, so 2 is too             frontier 30
"""

from heapq import heappop, heappush
from typing import TYPE_CHECKING

from ordering.disciplines.discipline import Reached
from ordering.frontier import key_for
from ordering.requirement import Measure, Requirement, UpTo
from ordering.stamps import SignificantStamps
from ordering.values import MemberId, Message

if TYPE_CHECKING:
    from ordering.state import GroupState


def requires(message: Message) -> tuple[Requirement, ...]:
    """Require what precedes, the sender's own earlier messages first."""
    stamps = message.stamps
    if not isinstance(stamps, SignificantStamps):
        return ()
    sender = message.id.sender
    required: list[Requirement] = []
    if stamps.own_preceding > 0:
        required.append(UpTo(sender, stamps.own_preceding, Measure.SENT_AT))
    required += [
        UpTo(MemberId(member), instant, Measure.SENT_AT)
        for member, instant in zip(stamps.members, stamps.preceding, strict=False)
        if instant > 0 and member != sender
    ]
    return tuple(required)


def instants(state: "GroupState", message: Message) -> Reached:
    """Note when a delivered message was sent; give the instant that its sender's frontier reaches.

    1. Put the message among those that are delivered but not yet counted.
    2. Count all that lie within the delivered prefix, or are so old that what is missing before
       them is too.
    """
    sender, seq = message.id
    stamps = message.stamps
    if not isinstance(stamps, SignificantStamps) and sender not in state.uncounted:
        return []
    uncounted = state.uncounted.setdefault(sender, [])
    if isinstance(stamps, SignificantStamps):
        heappush(uncounted, (seq, stamps.sent_at))
    upcoming = state.members[sender].next
    expired_at = state.now - state.policy.delta_us
    reached = 0
    while uncounted and (uncounted[0][0] < upcoming or uncounted[0][1] < expired_at):
        reached = max(reached, heappop(uncounted)[1])
    if not uncounted:
        del state.uncounted[sender]
    if reached <= state.delivered_through.get(sender, 0):
        return []
    state.delivered_through[sender] = reached
    return [(key_for(sender, Measure.SENT_AT), reached)]
