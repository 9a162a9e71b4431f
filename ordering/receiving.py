"""Receiving: the ways in that need no speed of their own.

Each family of disciplines has a way in. A fast way handles the plain case of a message without
calling anything and sends every other case to `arrive`; all ways give the same events for the
same messages.
"""

from collections.abc import Callable, Iterable
from typing import Final, TypeAlias

from ordering.arriving import arrive_and_settle
from ordering.events import NO_MARKS, Delivered, Event, maker_of_blank
from ordering.state import GroupState
from ordering.values import Message

blank_delivered: Final = maker_of_blank(Delivered)

Way: TypeAlias = Callable[[GroupState, Iterable[Message], list[Event]], None]


def receive_carefully(state: GroupState, messages: Iterable[Message], events: list[Event]) -> None:
    """Receive messages of any discipline, one by one."""
    for message in messages:
        arrive_and_settle(state, message, events)


def receive_in_order_of_the_log(
    state: GroupState, messages: Iterable[Message], events: list[Event]
) -> None:
    """Receive messages that require nothing: every fresh one is delivered at once."""
    limits = state.policy.limits
    payload_bytes, most_parents = limits.payload_bytes, limits.parents
    find, append, make_delivered = state.members.get, events.append, blank_delivered
    position = state.position
    for message in messages:
        message_id = message[0]
        seq = message_id[1]
        member = find(message_id[0])
        if (
            member is None
            or seq in member.loose
            or not (member.settled < seq and seq <= member.ceiling)
            or len(message[2]) > payload_bytes
            or len(message[1]) > most_parents
        ):
            state.position = position
            arrive_and_settle(state, message, events)
            position = state.position
            continue
        member.add_loose(seq)
        position += 1
        delivered = make_delivered()
        delivered.position = position
        delivered.message = message
        delivered.marks = NO_MARKS
        append(delivered)
    state.position = position
