"""Inter-object order: requests that conflict, and requests after responses, by object vectors.

Every message carries its id `(cid, iseq)` and its sender's object vector V: for each object, the
highest id that the sending thread had merged. m1 comes before m2 if

- both are of one sender, and the id of m1 is lower;
- m1 is of another sender j with `id(m1) <= V[j]` of m2, m2 is a request, and m1 is a response
  or a request that conflicts with m2: their operations conflict, at an object that both are for.

The paper compares the vectors of m1 and m2 whole. That differs only where threads ran side by side
on object j: m2 merged what j sent later, and j's earlier m1 knew something that m2 does not. The
count of j puts m1 before that later message, so m2 comes after both here, and nothing is searched.

What an m1 is can only be known when it is here. So m2 first waits until everything that its vector
speaks of has been captured, and then for those captured messages that come before it.

    m2 (a write to x) of carol:  V = {alice: (0, 2, seq 7), bob: (0, 1, seq 3)}
    1. alice captured up to 7, bob up to 3
    2. held of alice: 5, a write to x, id (0, 1)    ->  wait for it
       held of bob: 3, a read of y, id (0, 1)       ->  no matter
"""

from heapq import heappop, heappush
from typing import TYPE_CHECKING, Final

from ordering.member import MESSAGE, Node
from ordering.requirement import Measure, Requirement, UpTo
from ordering.stamps import ObjectStamps
from ordering.values import MemberId, Message

if TYPE_CHECKING:
    from ordering.state import GroupState

ANY_TARGET: Final = "*"
"""Stands for requests to whatever object; no pid is this short."""
NO_TARGET: Final = ""
"""Stands for requests that name no object, and so may be for any."""
RESPONSE: Final = ("response",)
WHATEVER: Final = ("whatever",)


def requires(message: Message) -> tuple[Requirement, ...]:
    """Require that the vector can be judged, and then what precedes by it."""
    stamps = message.stamps
    if not isinstance(stamps, ObjectStamps):
        return ()
    sender, seq = message.id
    known = [(sender, seq - 1)] if seq > 1 else []
    known += [
        (MemberId(member), last_seq)
        for member, (_, _, last_seq) in zip(stamps.members, stamps.vector, strict=False)
        if last_seq > 0 and member != sender
    ]
    judged = known[:1] if stamps.is_response and seq > 1 else known
    if stamps.is_response and seq == 1:
        judged = []
    return (
        *(UpTo(member, last_seq, Measure.CAPTURED) for member, last_seq in known),
        *(UpTo(member, last_seq, Measure.PRECEDING) for member, last_seq in judged),
    )


def keep(state: "GroupState", node: Node) -> None:
    """Put a held message where those that it precedes will look for it."""
    message: Message = node[MESSAGE]
    stamps = message.stamps
    if not isinstance(stamps, ObjectStamps):
        return
    keys: list[tuple[str, ...]] = [WHATEVER]
    if stamps.is_response:
        keys.append(RESPONSE)
    else:
        targets = (*(stamps.targets or (NO_TARGET,)), ANY_TARGET)
        keys += [("request", stamps.operation, target) for target in targets]
    for key in keys:
        kept = state.preceding.setdefault((message.id.sender, *key), [])
        heappush(kept, (stamps.cid, stamps.iseq, message.id.seq))


def first_preceding(state: "GroupState", required: UpTo, message: Message) -> int | None:
    """Find a held message of one sender that comes before this one by the rule."""
    stamps = message.stamps
    if not isinstance(stamps, ObjectStamps):
        return None
    sender = required.sender
    if sender == message.id.sender:
        # Of one sender only a lower id precedes: what is sent to many at once shares an id.
        return _lowest(state, (sender, *WHATEVER), (stamps.cid, stamps.iseq - 1))
    cid, iseq, _ = dict(zip(stamps.members, stamps.vector, strict=False))[sender]
    keys: list[tuple[str, ...]] = [RESPONSE]
    targets = (*stamps.targets, NO_TARGET) if stamps.targets else (ANY_TARGET,)
    for first, second in state.policy.conflicts:
        if second == stamps.operation:
            keys += [("request", first, target) for target in targets]
    for key in keys:
        found = _lowest(state, (sender, *key), (cid, iseq))
        if found is not None:
            return found
    return None


def _lowest(state: "GroupState", key: tuple[str, ...], highest: tuple[int, int]) -> int | None:
    """Give the held message with the lowest id under a key, if that is at most `highest`."""
    kept = state.preceding.get(key)
    while kept:
        cid, iseq, seq = kept[0]
        node = state.members[key[0]].nodes.get(seq)
        if node is not None and node[MESSAGE] is not None:
            return seq if (cid, iseq) <= highest else None
        heappop(kept)
    if kept is not None:
        del state.preceding[key]
    return None
