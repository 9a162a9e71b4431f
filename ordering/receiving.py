"""Receiving: the fast ways in, one for each family of disciplines.

A fast way handles the plain case of a message (a fresh one, from a sender seen before, with one
parent or none) without calling anything, and sends every other case to `arrive`. Both give the same
events.
"""

from collections.abc import Callable, Iterable
from typing import Final, TypeAlias

from ordering.arriving import arrive
from ordering.chains import closes_cycle
from ordering.delivering import free
from ordering.events import NO_MARKS, Delivered, Event, GapClosed, GapOpened, Held
from ordering.giving_up import give_up_due
from ordering.member import REQUIREMENT, SINCE_AT, Entry, Node
from ordering.state import GroupState
from ordering.values import Message
from ordering.waiting import expect

Way: TypeAlias = Callable[[GroupState, Iterable[Message], list[Event]], None]

# A NamedTuple's own constructor costs twice as much as the tuple it makes.
new: Final = tuple.__new__


def receive_carefully(state: GroupState, messages: Iterable[Message], events: list[Event]) -> None:
    """Receive messages of any discipline, one by one."""
    for message in messages:
        arrive(state, message, events)
        if state.deadlines:
            give_up_due(state, events)


def receive_by_parent(state: GroupState, messages: Iterable[Message], events: list[Event]) -> None:
    """Receive messages whose only requirement is their parents: the hot loop of the product.

    One long function, because a call costs a tenth of what a message may cost:

    1. A fresh seq of a known sender within bounds? If not, `arrive`.
    2. No parent, or one that is delivered? Deliver; free what waited for the message.
    3. Else hold it at its parent's node, opening a gap if the parent is missing.
    """
    limits = state.policy.limits
    payload_bytes = limits.payload_bytes
    held_per_sender, held_per_group = limits.held_per_sender, limits.held_per_group
    gives_up = state.gives_up
    abandoned = state.abandoned
    find = state.members.get
    append = events.append
    for message in messages:
        message_id, parents, content, _, _ = message
        sender, seq = message_id
        member = find(sender)
        if (
            member is None
            or seq in member.loose
            or not member.settled < seq <= member.ceiling
            or seq in member.held
            or len(content) > payload_bytes
            or len(parents) > 1
            or abandoned
        ):
            arrive(state, message, events)
            if gives_up:
                give_up_due(state, events)
            continue
        if parents:
            parent = parents[0]
            parent_sender, parent_seq = parent
            above = find(parent_sender)
            if above is None or not (
                parent_seq in above.loose
                or (parent_seq <= above.settled and above.contains(parent_seq))
            ):
                own = member.waiting.get(seq)
                if (
                    above is None
                    or len(member.held) >= held_per_sender
                    or state.held_count >= held_per_group
                    or (own is not None and closes_cycle(state, message_id, parent))
                    or parent == message_id
                ):
                    arrive(state, message, events)
                    continue
                if own is not None and own[SINCE_AT] is not None:
                    own[SINCE_AT] = None
                    append(new(GapClosed, (own[REQUIREMENT],)))
                append(new(Held, (message, parent)))
                entry: Entry = (message, member, seq, None)
                node: Node | None = above.waiting.get(parent_seq)
                if node is not None:
                    node.append(entry)
                elif parent_seq in above.held:
                    above.waiting[parent_seq] = [None, None, parent, entry]
                else:
                    above.waiting[parent_seq] = [state.now, None, parent, entry]
                    append(new(GapOpened, (parent,)))
                    if gives_up:
                        expect(state, parent, state.now)
                member.held[seq] = entry
                state.held_count += 1
                continue
        member.loose.add(seq)
        state.position = position = state.position + 1
        if seq in member.waiting:
            node = member.waiting.pop(seq)
            append(new(GapClosed, (node[REQUIREMENT],)))
            append(new(Delivered, (position, message, NO_MARKS)))
            free(state, node, events)
            if gives_up:
                give_up_due(state, events)
        else:
            append(new(Delivered, (position, message, NO_MARKS)))
