"""Capturing: how much of a member has been received, whatever became of it.

The order of objects must know what a message is before it can say whether another comes after it,
so it waits until everything up to a seq has been captured. A member's captures are kept like its
deliveries, in an ordering list, but only for members of whom somebody has asked.

    delivered of alice: 1 2 . 4      held: 5      captured: 1 2 . 4 5      next = 3
"""

from ordering import runs as run
from ordering.frontier import key_for
from ordering.member import MESSAGE, Member
from ordering.ordering_list import OrderingList
from ordering.requirement import Measure
from ordering.state import GroupState
from ordering.values import Message


def captured_of(state: GroupState, member: Member) -> OrderingList:
    """Give what was captured of a member, begun from what was delivered and what is held."""
    captured = state.captured.get(member.pid)
    if captured is None:
        captured = state.captured[member.pid] = OrderingList()
        held = [seq for seq, node in member.nodes.items() if node[MESSAGE] is not None]
        captured.runs = run.union(member.delivered_runs(), run.from_numbers(held))
        captured.skipped = run.subtract(member.skipped, captured.runs)
        captured.fold()
    return captured


def capture(state: GroupState, message: Message) -> list[tuple[str, int]]:
    """Note that a message was received; give how much of its sender has been, without a gap.

    Nothing is noted for a member of whom nobody has asked: `captured_of` finds that out if need be.
    """
    sender, seq = message.id
    key = key_for(sender, Measure.CAPTURED)
    if sender not in state.captured and key not in state.frontiers:
        return []
    captured = captured_of(state, state.members[sender])
    if not captured.contains(seq):
        captured.add(seq)
    return [(key, captured.next - 1)]


def forget_captured(state: GroupState, message: Message) -> None:
    """Note that a message was quarantined because it waits for itself: it does not count as here.

    Else a second copy of it would find everything that it asks for captured and nothing of it held,
    and would be delivered though a ring has no right order.
    """
    captured = state.captured.get(message.id.sender)
    if captured is not None and captured.contains(message.id.seq):
        captured.forget(message.id.seq)


def skip_uncaptured(state: GroupState, member: Member, seq: int) -> None:
    """Count all that was not captured of a member up to a seq as given up."""
    captured = captured_of(state, member)
    for low, high in run.pairs(run.subtract([1, seq], captured.delivered_runs())):
        captured.skip(low, high)
        member.skip(low, high)
