"""Refusing: a message is quarantined because something that it needs was given up.

What hangs from a refused message must not begin a wait of its own, so the message counts as given
up too, until it comes again and can be delivered.
"""

from ordering.events import Event, Quarantined, Reason
from ordering.member import Member
from ordering.stamps import SignificantStamps
from ordering.state import GroupState
from ordering.values import Message


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
