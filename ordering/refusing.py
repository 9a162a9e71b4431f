"""Refusing: a message is quarantined because something that it needs was given up.

What hangs from a refused message must not begin a wait of its own, so the message counts as given
up too, until it comes again and can be delivered.
"""

from collections.abc import Iterable

from ordering.capturing import forget_captured
from ordering.events import Event, Quarantined, Reason
from ordering.member import MESSAGE, Member, Node
from ordering.stamps import SignificantStamps
from ordering.state import GroupState
from ordering.values import Message


def break_ring(state: GroupState, nodes: Iterable[Node], events: list[Event]) -> None:
    """Quarantine messages that wait for each other, or for some that do, and are held no more."""
    for node in nodes:
        forget_captured(state, node[MESSAGE])
        events.append(Quarantined(node[MESSAGE], Reason.CYCLE))


def refuse(state: GroupState, member: Member, message: Message, events: list[Event]) -> None:
    """Quarantine a message that is not held any more, or never was."""
    seq = message.id.seq
    # Whoever counts instants asks when the message was sent and not how it is numbered: skipping it
    # would let later ones pass.
    counts_instants = isinstance(message.stamps, SignificantStamps)
    if state.discipline.counts and not counts_instants:
        member.skip(seq, seq)
        if member.pid in state.captured:
            state.captured[member.pid].skip(seq, seq)
    else:
        state.abandon(message.id, account=message.id.sender)
    events.append(Quarantined(message, Reason.GAVE_UP))
