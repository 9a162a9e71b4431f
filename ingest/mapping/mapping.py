"""A mapping at work: a foreign datagram in, the bytes of an envelope out.

    maybe_mapping = open_mapping(settings)
    datagram = maybe_mapping.mapped(datagram)     # raises MappingError or WireError only

Called by the intake for every datagram of a mapped address. What it gives depends on the datagram
alone, so that two agents that hear the same one publish the same bytes, and the job drops one.
"""

import math
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from ingest.datagram import Datagram
from ingest.mapping.errors import MappingError, MappingReason
from ingest.mapping.fields import ABSENT, Field, as_number, as_text
from ingest.mapping.fixed_fields import fixed_field, payload_of_fixed
from ingest.mapping.json_fields import json_field, parse_json, payload_of_json
from ingest.mapping.parents import Own, parents_of
from ingest.mapping.settings import MappingFormat, MappingSettings, TimeUnit
from ingest.wire import bounds
from ingest.wire.envelope import Envelope, Kind, encode
from ingest.wire.errors import WireError, WireReason
from ordering.values import GroupId, MemberId

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_UNITS_US: Final = {
    TimeUnit.SECONDS: (1_000_000, 1),
    TimeUnit.MILLISECONDS: (1_000, 1),
    TimeUnit.MICROSECONDS: (1, 1),
    TimeUnit.NANOSECONDS: (1, 1_000),
}
"""A unit -> how many microseconds it has, as a fraction."""


def open_mapping(settings: MappingSettings) -> "Mapping | None":
    """Make the mapping that the settings ask for; None if every datagram is an envelope."""
    return None if settings.format is MappingFormat.NONE else Mapping(settings)


class Mapping:
    """Makes messages of foreign datagrams. One for an agent; keeps nothing between two of them."""

    def __init__(self, settings: MappingSettings) -> None:
        is_json = settings.format is MappingFormat.JSON
        make = json_field if is_json else fixed_field
        self._addresses = settings.group_addresses()
        self._parse: Callable[[bytes], Any] = parse_json if is_json else bytes
        self._payload_of = payload_of_json if is_json else payload_of_fixed
        self._group = make(settings.group)
        self._sender = make(settings.sender)
        self._incarnation = make(settings.incarnation)
        self._seq = make(settings.seq)
        self._first_seq = settings.first_seq
        self._maybe_payload: Field | None = make(settings.payload) if settings.payload else None
        self._maybe_sent_at: Field | None = make(settings.sent_at) if settings.sent_at else None
        self._unit = settings.sent_at_unit
        self._parents = parents_of(settings, make)

    def mapped(self, datagram: Datagram) -> Datagram:
        """Give the datagram with an envelope for its data; as it is, if its address carries ours.

        Raises what `envelope_of` raises.
        """
        if self._addresses and datagram.group_address not in self._addresses:
            return datagram
        return datagram._replace(data=self.envelope_of(datagram))

    def envelope_of(self, datagram: Datagram) -> bytes:
        """Give the envelope of a foreign datagram.

        Raises MappingError if a field is missing or wrong, WireError if what it says can't be a
        message (a name too long, a seq below 1), and nothing else, whatever the bytes.
        """
        document = self._parse(datagram.data)
        incarnation = as_number(self._incarnation(datagram, document), name="incarnation")
        name = as_text(self._sender(datagram, document), name="sender")
        sender = MemberId(f"{name}#{incarnation}")
        seq = as_number(self._seq(datagram, document), name="seq") - self._first_seq + 1
        if not 1 <= seq <= bounds.SEQ_LAST:
            raise WireError(
                WireReason.BAD_SEQ,
                f"seq {seq + self._first_seq - 1} is not from {self._first_seq} on",
            )
        own = Own(sender, incarnation, seq)
        return encode(
            Envelope(
                Kind.MESSAGE,
                GroupId(as_text(self._group(datagram, document), name="group")),
                sender,
                seq,
                self._parents(datagram, document, own),
                self._payload(datagram, document),
                self._sent_at(datagram, document),
            )
        )

    def _payload(self, datagram: Datagram, document: Any) -> bytes:
        if self._maybe_payload is None:
            return datagram.data
        return self._payload_of(self._maybe_payload(datagram, document))

    def _sent_at(self, datagram: Datagram, document: Any) -> int:
        """Give the time of sending in microseconds; 0 if nobody says it."""
        if self._maybe_sent_at is None:
            return 0
        value = self._maybe_sent_at(datagram, document)
        if value is ABSENT:
            return 0
        if self._unit is TimeUnit.ISO:
            return _from_iso(as_text(value, name="sent_at"))
        many, parts = _UNITS_US[self._unit]
        if isinstance(value, float) and math.isfinite(scaled := value * many / parts):
            return round(scaled)
        return as_number(value, name="sent_at") * many // parts


def _from_iso(text: str) -> int:
    try:
        moment = datetime.fromisoformat(text)
        aware = moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
        return (aware - _EPOCH) // timedelta(microseconds=1)
    except (ValueError, OverflowError):
        raise MappingError(
            MappingReason.BAD_FIELD, "the sent_at is not a time such as 2026-01-31T12:00:00Z"
        ) from None
