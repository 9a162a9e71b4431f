"""Receiving by parent: the fast way in for `semantic`, and the hot loop of the product.

Fields of messages and ids are taken by number, because to take a named tuple apart the interpreter
makes an iterator. Positions and counts are kept in local names, and written back before anything
else looks at the state.
"""

from collections.abc import Iterable
from typing import Final

from ordering.arriving import arrive_and_settle
from ordering.chains import closes_cycle
from ordering.delivering import free
from ordering.events import NO_MARKS, Delivered, Event, Held, maker_of_blank
from ordering.giving_up import give_up_due
from ordering.member import CHILDREN, DEAD, DETAILS, MESSAGE, RECEIVED, SINCE_AT, TOLD, Node
from ordering.receiving import receive_carefully
from ordering.state import GroupState
from ordering.values import Message
from ordering.waiting import close_gap, expect

blank_delivered: Final = maker_of_blank(Delivered)
blank_held: Final = maker_of_blank(Held)


def receive_by_parent(state: GroupState, messages: Iterable[Message], events: list[Event]) -> None:
    """Receive messages whose only requirement is their parents: the hot loop of the product.

    One long function, because a call costs a tenth of what a whole message may cost:

    1. A fresh seq of a known sender within bounds? If not, `arrive`.
    2. No parent, or one that is delivered? Deliver, and free what waited, as `free` does.
    3. Else hold it at its parent's node, opening a gap if the parent is missing.
    """
    limits = state.policy.limits
    if limits.parents < 1:
        receive_carefully(state, messages, events)
        return
    payload_bytes = limits.payload_bytes
    held_per_sender, held_per_group = limits.held_per_sender, limits.held_per_group
    gives_up, now = state.gives_up, state.now
    abandoned, open_gap = state.abandoned, state.untold.append
    find = state.members.get
    append = events.append
    position, held_count = state.position, state.held_count
    make_delivered, make_held = blank_delivered, blank_held
    stack: list[Node] = []
    for message in messages:
        message_id, parents = message[0], message[1]
        seq = message_id[1]
        member = find(message_id[0])
        if (
            member is None
            or seq in member.loose
            or not (member.settled < seq and seq <= member.ceiling)
            or len(message[2]) > payload_bytes
            or (abandoned and message_id in abandoned)
        ):
            state.position, state.held_count = position, held_count
            arrive_and_settle(state, message, events)
            position, held_count = state.position, state.held_count
            continue
        nodes = member.nodes
        own: Node | None = nodes.get(seq)
        if parents:
            try:
                (parent,) = parents
            except ValueError:
                state.position, state.held_count = position, held_count
                arrive_and_settle(state, message, events)
                position, held_count = state.position, state.held_count
                continue
            parent_seq = parent[1]
            above = find(parent[0])
            if above is None or not (
                parent_seq in above.loose
                or (parent_seq < above.next and parent_seq > 0)
                or (parent_seq <= above.settled and above.contains(parent_seq))
            ):
                target: Node | None = None if above is None else above.nodes.get(parent_seq)
                if (
                    above is None
                    or member.held_count >= held_per_sender
                    or held_count >= held_per_group
                    or (parent_seq == seq and above is member)
                    or (abandoned and parent in abandoned)
                    or (
                        own is not None
                        and (
                            own[MESSAGE] is not None
                            or (
                                target is not None
                                and target[MESSAGE] is not None
                                and closes_cycle(state, own, target)
                            )
                        )
                    )
                ):
                    state.position, state.held_count = position, held_count
                    arrive_and_settle(state, message, events)
                    position, held_count = state.position, state.held_count
                    continue
                if own is None:
                    own = nodes[seq] = [RECEIVED, message, member, seq, None, None, None]
                else:
                    if own[TOLD] is True:
                        close_gap(own, events)
                    own[SINCE_AT], own[MESSAGE], own[DETAILS] = RECEIVED, message, None
                member.held_count += 1
                held_count += 1
                held = make_held()
                held.message = message
                held.waiting_for = parent
                append(held)
                if target is not None:
                    target[CHILDREN] = (own, cell) if (cell := target[CHILDREN]) else own
                else:
                    target = [now, None, above, parent_seq, own, None, None]
                    above.nodes[parent_seq] = target
                    open_gap((above, parent_seq))
                    if gives_up:
                        expect(state, target)
                continue
        if own is not None:
            if own[MESSAGE] is not None:
                state.position, state.held_count = position, held_count
                arrive_and_settle(state, message, events)
                continue
            del nodes[seq]
            if own[TOLD] is True:
                close_gap(own, events)
        member.add_loose(seq)
        position += 1
        delivered = make_delivered()
        delivered.position = position
        delivered.message = message
        delivered.marks = NO_MARKS
        append(delivered)
        if own is None:
            continue
        cell = own[CHILDREN]
        own[SINCE_AT], own[CHILDREN] = DEAD, None
        while True:
            if cell is not None:
                while type(cell) is tuple:
                    node, cell = cell
                    stack.append(node)
                node = cell
            elif stack:
                node = stack.pop()
            else:
                break
            _, freed, member, seq, cell, _, details = node
            if details is not None or abandoned:
                stack.append(node)
                state.position, state.held_count = position, held_count
                free(state, stack, events)
                if gives_up:
                    give_up_due(state, events)
                position, held_count = state.position, state.held_count
                break
            node[SINCE_AT], node[CHILDREN] = DEAD, None
            del member.nodes[seq]
            member.held_count -= 1
            held_count -= 1
            member.add_loose(seq)
            position += 1
            delivered = make_delivered()
            delivered.position = position
            delivered.message = freed
            delivered.marks = NO_MARKS
            append(delivered)
    state.position, state.held_count = position, held_count
