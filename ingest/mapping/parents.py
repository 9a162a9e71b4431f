"""Which messages a foreign datagram answers: one that it names, several in a list, or the one
before.

    parents = "previous"                    seq 7 answers seq 6; the first answers nothing
    parent_seq, parent_sender               one parent, of that sender or of the message's own
    parents = "/re", parent_... within it   as many as the list has (JSON)

A parent that is absent, null, or has the number that means none, is no parent.
"""

from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

from ingest.datagram import Datagram
from ingest.mapping.fields import ABSENT, Field, as_number, as_text
from ingest.mapping.settings import PREVIOUS, MappingSettings
from ingest.wire import bounds
from ingest.wire.errors import WireError, WireReason
from ordering.values import MemberId, MessageId

MakeField: TypeAlias = Callable[[str], Field]


class Own(NamedTuple):
    """What the message itself is, for parents that are told in its terms."""

    sender: MemberId
    incarnation: int
    seq: int


Parents: TypeAlias = Callable[[Datagram, Any, Own], tuple[MessageId, ...]]
"""Gives the parents of a datagram, the document that it is, and its own id."""


def parents_of(settings: MappingSettings, make: MakeField) -> Parents:
    """Make the finder of parents that the settings ask for."""
    if settings.parents == PREVIOUS:
        return _previous
    one = _one_parent(settings, make)
    if settings.parents:
        return _each_of(make(settings.parents), one)
    if not settings.parent_seq:
        return lambda _datagram, _document, _own: ()

    def single(datagram: Datagram, document: Any, own: Own) -> tuple[MessageId, ...]:
        maybe_parent = one(datagram, document, own)
        return () if maybe_parent is None else (maybe_parent,)

    return single


def _previous(_datagram: Datagram, _document: Any, own: Own) -> tuple[MessageId, ...]:
    return (MessageId(own.sender, own.seq - 1),) if own.seq > 1 else ()


def _each_of(list_field: Field, one: Callable[[Datagram, Any, Own], MessageId | None]) -> Parents:
    def several(datagram: Datagram, document: Any, own: Own) -> tuple[MessageId, ...]:
        listed = list_field(datagram, document)
        if listed is ABSENT:
            return ()
        items = listed if isinstance(listed, list) else [listed]
        if len(items) > bounds.PARENTS:
            # Before any of them is looked at: a datagram has room for tens of thousands.
            raise WireError(
                WireReason.BAD_PARENTS, f"{len(items)} parents; at most {bounds.PARENTS}"
            )
        parents = (one(datagram, item, own) for item in items)
        return tuple(parent for parent in parents if parent is not None)

    return several


def _one_parent(
    settings: MappingSettings, make: MakeField
) -> Callable[[Datagram, Any, Own], MessageId | None]:
    maybe_seq = make(settings.parent_seq) if settings.parent_seq else None
    maybe_sender = make(settings.parent_sender) if settings.parent_sender else None
    maybe_incarnation = make(settings.parent_incarnation) if settings.parent_incarnation else None
    first_seq, none_seq = settings.first_seq, settings.no_parent_seq

    def one(datagram: Datagram, place: Any, own: Own) -> MessageId | None:
        raw_seq = place if maybe_seq is None else maybe_seq(datagram, place)
        if raw_seq is ABSENT:
            return None
        seq = as_number(raw_seq, name="parent's seq")
        if seq == none_seq:
            return None
        incarnation = own.incarnation
        if maybe_incarnation is not None:
            incarnation = as_number(maybe_incarnation(datagram, place), name="parent's incarnation")
        name = own.sender.rpartition("#")[0]
        if maybe_sender is not None:
            name = as_text(maybe_sender(datagram, place), name="parent's sender")
        return MessageId(MemberId(f"{name}#{incarnation}"), seq - first_seq + 1)

    return one
