"""Significant order: a message comes after another only if the objects' meaning asks for it.

Each member is an object. It performs *instances* of operations: an instance begins when the object
gets a request (or decides by itself), may send requests to others and get their responses, and ends
with its own response. Two operations *conflict* if their order changes the object's state.

What comes before a message m2 that an object sends in instance i2, of all m1 that the object
itself has sent or received before:

    sent m1, same instance            always
    sent m1, conflicting instance     i1 ended before i2 began, and both change something or
                                      m2 tells something: SEND_SEND
    received m1, same instance        m1 brings something that m2 may carry on: RECEIVE_SEND; and
                                      a request always comes before its own response
    received m1, conflicting instance i1 ended before i2 began: RECEIVE_SEND_APART

Instances that overlap order nothing. What comes before those that come before is not named again:
it came before them. And what another instance did more than delta before i2 began is left out: by
the network's bound everyone has it.

Types: IS, IN, NS, NN are requests with (I) or without (N) input that change state (S) or not (N);
O and N are responses with and without output.

    write x (IS) then read x (IN) by one client, one after the other: the operations conflict;
    IS before IN is not in SEND_SEND, so the two requests are not ordered; the response O of the
    read comes after IS.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from simulation.history import Entry

SEND_SEND: Final[dict[str, str]] = {
    "IS": "IS NS O",
    "NS": "IS NS O",
    "O": "O",
}
"""Type of the earlier message -> types of the later ones that come after it; conflicting."""

RECEIVE_SEND: Final[dict[str, str]] = {
    "IS": "IS IN NS O",
    "IN": "IS IN O",
    "NS": "IS NS",
    "O": "IS IN O",
}
"""The same for something received and something sent, in one instance."""

RECEIVE_SEND_APART: Final[dict[str, str]] = {
    "IS": "IS IN NS O",
    "NS": "IS IN NS O",
}
"""The same for two conflicting instances of which the first had ended."""

REQUESTS: Final = ("IS", "IN", "NS", "NN")


class Instance:
    """One performance of an operation at one object."""

    def __init__(self, operation: str, *, began: int, began_at: int) -> None:
        self.operation = operation
        self.began = began  # counted in the object's own sends and receipts
        self.began_at = began_at
        self.maybe_ended: int | None = None


class Deed(NamedTuple):
    """Something the object sent or received."""

    entry: Entry
    message_type: str
    instance: Instance
    is_sent: bool


class Next(NamedTuple):
    """A message that the object is about to send."""

    message_type: str
    instance: Instance
    maybe_answers: Entry | None  # the request, if it is a response


class Meaning(NamedTuple):
    """What the group has agreed on: which operations conflict, and the bound of the network."""

    conflicts: frozenset[tuple[str, str]]
    delta_us: int


def comes_before(deed: Deed, following: Next, *, meaning: Meaning) -> bool:
    """Whether what the object did comes before what it sends next, by the rules alone."""
    first, second = deed.instance, following.instance
    if first is second:
        if deed.is_sent:
            return True
        if following.maybe_answers is deed.entry:
            return True
        return following.message_type in RECEIVE_SEND.get(deed.message_type, "").split()
    if first.maybe_ended is None or first.maybe_ended > second.began:
        return False
    if (first.operation, second.operation) not in meaning.conflicts:
        return False
    if deed.entry.sent_at < second.began_at - meaning.delta_us:
        return False
    table = SEND_SEND if deed.is_sent else RECEIVE_SEND_APART
    return following.message_type in table.get(deed.message_type, "").split()


def required(deeds: list[Deed], following: Next, *, meaning: Meaning) -> int:
    """The mask of everything that comes before."""
    mask = 0
    for deed in deeds:
        if comes_before(deed, following, meaning=meaning):
            mask |= 1 << deed.entry.slot
    return mask
