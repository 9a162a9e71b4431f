"""Receiving: the ways in, from the careful one to the fast one.

A fast way handles the plain case of a message (a fresh one, of a sender seen before, with one
parent or none) without calling anything, and sends every other case to `arrive`. All ways give the
same events for the same messages.
"""

from collections.abc import Callable, Iterable
from typing import Final, TypeAlias

from ordering.arriving import arrive
from ordering.chains import closes_cycle
from ordering.delivering import free
from ordering.events import NO_MARKS, Delivered, Event, Held
from ordering.giving_up import give_up_due
from ordering.member import (
    DEAD,
    LAST_FIELD,
    MESSAGE,
    OWNER,
    PROGRESS,
    RECEIVED,
    SEQ,
    SINCE_AT,
    Node,
)
from ordering.state import GroupState
from ordering.values import Message
from ordering.waiting import close_gap, expect

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

    One long function, because a call costs a tenth of what a whole message may cost:

    1. A fresh seq of a known sender within bounds? If not, `arrive`.
    2. No parent, or one that is delivered? Deliver, and free what waited, as `free` does.
    3. Else hold it at its parent's node, opening a gap if the parent is missing.
    """
    limits = state.policy.limits
    payload_bytes = limits.payload_bytes
    held_per_sender, held_per_group = limits.held_per_sender, limits.held_per_group
    gives_up, now = state.gives_up, state.now
    abandoned, told = state.abandoned, state.told
    find = state.members.get
    append = events.append
    position = state.position
    for message in messages:
        message_id, parents, content, _, _ = message
        sender, seq = message_id
        member = find(sender)
        if (
            member is None
            or seq in member.loose
            or not member.settled < seq <= member.ceiling
            or len(content) > payload_bytes
            or (abandoned and message_id in abandoned)
        ):
            state.position = position
            arrive(state, message, events)
            if gives_up:
                give_up_due(state, events)
            position = state.position
            continue
        own: Node | None = member.nodes.get(seq)
        if parents:
            parent = parents[0]
            parent_sender, parent_seq = parent
            above = find(parent_sender)
            if (
                above is None
                or len(parents) > 1
                or not (
                    parent_seq in above.loose
                    or (parent_seq <= above.settled and above.contains(parent_seq))
                )
            ):
                target = above.nodes.get(parent_seq) if above is not None else None
                if (
                    above is None
                    or len(parents) > 1
                    or member.held_count >= held_per_sender
                    or state.held_count >= held_per_group
                    or (abandoned and parent in abandoned)
                    or (target is None and parent == message_id)
                    or (
                        own is not None
                        and (
                            own[MESSAGE] is not None
                            or target is own
                            or (target is not None and closes_cycle(state, own, target))
                        )
                    )
                ):
                    state.position = position
                    arrive(state, message, events)
                    if gives_up:
                        give_up_due(state, events)
                    position = state.position
                    continue
                if own is None:
                    own = [RECEIVED, None, None, message, member, seq, None]
                    member.nodes[seq] = own
                else:
                    own[SINCE_AT] = RECEIVED
                    own[MESSAGE] = message
                    if told:
                        close_gap(state, own, events)
                member.held_count += 1
                state.held_count += 1
                append(new(Held, (message, parent)))
                if target is not None:
                    target.append(own)
                else:
                    target = [now, None, parent, None, above, parent_seq, None, own]
                    above.nodes[parent_seq] = target
                    state.untold.append(target)
                    if gives_up:
                        expect(state, target)
                continue
        if own is None:
            member.loose.add(seq)
            position += 1
            append(new(Delivered, (position, message, NO_MARKS)))
            continue
        if own[MESSAGE] is not None:
            state.position = position
            arrive(state, message, events)
            continue
        del member.nodes[seq]
        if told:
            close_gap(state, own, events)
        member.loose.add(seq)
        position += 1
        append(new(Delivered, (position, message, NO_MARKS)))
        own[SINCE_AT] = DEAD
        stack = own[:LAST_FIELD:-1]
        while stack:
            node = stack.pop()
            if node[PROGRESS] is not None or abandoned:
                stack.append(node)
                state.position = position
                free(state, stack, events)
                if gives_up:
                    give_up_due(state, events)
                position = state.position
                break
            member, seq = node[OWNER], node[SEQ]
            del member.nodes[seq]
            member.held_count -= 1
            state.held_count -= 1
            member.loose.add(seq)
            position += 1
            append(new(Delivered, (position, node[MESSAGE], NO_MARKS)))
            node[SINCE_AT] = DEAD
            if len(node) > LAST_FIELD + 1:
                stack += node[:LAST_FIELD:-1]
    state.position = position
