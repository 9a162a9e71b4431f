"""Receiving: the ways in that need no speed of their own.

Each family of disciplines has a way in. A fast way handles the plain case of a message without
calling anything and sends every other case to `arrive`; all ways give the same events for the
same messages.
"""

from collections.abc import Callable, Iterable
from typing import TypeAlias

from ordering.arriving import arrive_and_settle
from ordering.events import Delivered, Event
from ordering.state import GroupState
from ordering.values import Message

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
    find = state.members.get
    for message in messages:
        sender, seq = message.id
        member = find(sender)
        if (
            member is None
            or seq in member.loose
            or not (member.settled < seq and seq <= member.ceiling)
            or len(message.content) > limits.payload_bytes
            or len(message.parents) > limits.parents
        ):
            arrive_and_settle(state, message, events)
            continue
        member.loose.add(seq)
        state.position += 1
        events.append(Delivered(state.position, message))
