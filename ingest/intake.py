"""What becomes of one captured datagram: the agent's only decision, without a socket or a client.

    1. it is an envelope of ours, or the mapping makes one of it     else malformed
    2. it is no tick and no control envelope     else malformed: only the service makes those
    3. it is not what members tell each other to synchronise    else passed over: nothing to order
    4. its tag is right for its group's mode     else refused
    5. its sender is within its rate             else refused
    6. it is new, or a repeat within a rate      else refused
    -> published unchanged, key = its group

What is malformed or refused is counted by reason, and a sample of it, within a rate, is published
too: wrapped in a refusal with the reason and the source (`ingest/wire/refusal.py`), under an empty
key, so that it ends in quarantine with coordinates and can't be taken for anything else. The rest
is withheld: `published + withheld + passed_over` is what was taken in.

A repeat is published because the job must see it: it drops the same bytes, and quarantines other
bytes under the same id.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple, TypeAlias

from ingest.authentication.gate import Gate
from ingest.authentication.protection import parts_of
from ingest.authentication.replay_memory import Freshness
from ingest.datagram import Datagram
from ingest.mapping.errors import MappingError
from ingest.mapping.mapping import Mapping
from ingest.sender_limits import OFF, SenderLimits
from ingest.token_bucket import TokenBucket
from ingest.wire.envelope import Envelope, Kind, decode, maybe_plain_group
from ingest.wire.errors import WireError
from ingest.wire.refusal import Refusal, encode_refusal

NO_GROUP: Final = b""
"""The key of what belongs to no group."""

FOREIGN_TICK: Final = "foreign_tick"
"""The reason for a tick that came over the network."""

FOREIGN_CONTROL: Final = "foreign_control"
"""The reason for a control envelope that came over the network."""

NOBODY: Final = ""
"""Stands for the group of a sender that is known by its address only."""

OVER_RATE: Final = "over_rate"
"""The reason for an envelope of a sender that sends more than it may."""

SENTENCES: Final = {
    FOREIGN_TICK: "a tick that came over the network; only the job may move time on",
    FOREIGN_CONTROL: "a control envelope that came over the network; only the service writes them",
    OVER_RATE: "this sender sends more than agent.sender_messages_per_s",
    "untagged": "the group asks for a tag and this envelope has none",
    "wrong_mode": "the group is protected in another mode",
    "unknown_key": "no live key has this id, or the keys here do not reach this group and member",
    "forged": "the tag is not the one that the sender's key makes",
    "repeat_over_rate": "this sender's messages are sent again more often than is published",
    "below_window": "too old to tell whether it was seen; see authentication.below_window",
    "old_incarnation": "newer incarnations of this member have taken all places",
    "incarnation_over_rate": "this member takes new incarnations too often",
}
"""What a person reads about each reason that is not the wire's own."""


_FOREIGN: Final = {Kind.TICK: FOREIGN_TICK, Kind.CONTROL: FOREIGN_CONTROL}
"""What moves time on or changes a group's rules is the service's own, whoever claims to send it."""


class Admission(NamedTuple):
    """What to publish for a datagram."""

    key: bytes
    value: bytes


Admitted: TypeAlias = tuple[int, bytes, bytes]
"""When a datagram was captured, and its admission: what the spool takes."""


class Intake:
    """Decides about datagrams and counts what it refuses. One for each capture thread."""

    def __init__(
        self,
        bucket: TokenBucket,
        *,
        clock: Callable[[], int],
        maybe_gate: Gate | None = None,
        maybe_limits: SenderLimits | None = None,
        maybe_mapping: Mapping | None = None,
    ) -> None:
        """`bucket` limits the sample; without a gate nothing is authenticated; without a mapping
        nothing is foreign; `clock` gives microseconds and never goes back.
        """
        self._maybe_mapping = maybe_mapping
        self._bucket = bucket
        self._clock = clock
        self._maybe_gate = maybe_gate
        self._limits = maybe_limits or SenderLimits(per_second=OFF)
        self._is_limited = not self._limits.is_off
        self._may_be_quick = maybe_mapping is None and not self._is_limited
        self._is_open = _always if maybe_gate is None else maybe_gate.is_open
        self.malformed: Counter[str] = Counter()
        """How many could not be decoded, by reason."""
        self.refused: Counter[str] = Counter()
        """How many were envelopes and might not pass, by reason."""
        self.repeats = 0
        """How many were authentic, seen before, and published again."""
        self.withheld = 0
        """How many of the malformed and refused were not even published as a sample."""
        self.passed_over = 0
        """How many were talk among members, in which nothing is to be ordered."""

    def admit_all(self, datagrams: Sequence[Datagram]) -> list[Admitted]:
        """Give what to publish for these datagrams, as `admit` would for each of them.

        Most are plain messages of groups that are not protected: those are looked at and not taken
        apart.
        """
        admitted: list[Admitted] = []
        is_open = self._is_open
        for datagram in datagrams:
            if self._may_be_quick:
                data = datagram[0]
                maybe_group = maybe_plain_group(data)
                if maybe_group is not None and is_open(maybe_group):
                    admitted.append((datagram[1], maybe_group, data))
                    continue
            maybe_admission = self.admit(datagram)
            if maybe_admission is not None:
                admitted.append((datagram.captured_at, *maybe_admission))
        return admitted

    def admit(self, datagram: Datagram) -> Admission | None:
        """Give what to publish for this datagram, or None: nothing."""
        message = datagram
        try:
            if self._maybe_mapping is not None:
                message = self._maybe_mapping.mapped(datagram)
            envelope = decode(message.data)
        except (WireError, MappingError) as error:
            reason = error.reason.value
            self.malformed[reason] += 1
            return self._sample(datagram, reason, error.detail)
        maybe_foreign = _FOREIGN.get(envelope.kind)
        if maybe_foreign is not None:
            self.malformed[maybe_foreign] += 1
            return self._sample(datagram, maybe_foreign, SENTENCES[maybe_foreign])
        if envelope.kind is Kind.SYNCHRONISATION:
            self.passed_over += 1
            return None
        maybe_reason = self._reason_against(envelope, message)
        if maybe_reason is not None:
            self.refused[maybe_reason] += 1
            detail = f"{envelope.sender}:{envelope.seq} of {envelope.group}: "
            return self._sample(datagram, maybe_reason, detail + SENTENCES[maybe_reason])
        return Admission(envelope.group.encode("utf-8"), message.data)

    def _reason_against(self, envelope: Envelope, datagram: Datagram) -> str | None:
        """Ask tag, rate and window, in this order: a stranger spends nobody's rate, and what is
        over its rate is new when it is sent again.
        """
        maybe_gate = self._maybe_gate
        if maybe_gate is None or not maybe_gate.is_protected(envelope):
            if not self._is_limited:
                return None
            address = (NOBODY, datagram.source.rpartition(":")[0])
            return None if self._limits.allows(address, now=self._clock()) else OVER_RATE
        maybe_fault = maybe_gate.authenticate(envelope, datagram.data)
        if maybe_fault is not None:
            return maybe_fault.value
        now = self._clock()
        if self._is_limited:
            member = (envelope.group, parts_of(envelope.sender)[0])
            if not self._limits.allows(member, now=now):
                return OVER_RATE
        freshness = maybe_gate.remember(envelope, now=now)
        if freshness is Freshness.NEW:
            return None
        if freshness is Freshness.REPEAT:
            self.repeats += 1
            return None
        return freshness.value

    def _sample(self, datagram: Datagram, reason: str, detail: str) -> Admission | None:
        if not self._bucket.take(now=self._clock()):
            self.withheld += 1
            return None
        refusal = Refusal(reason, datagram.source, detail, datagram.data)
        return Admission(NO_GROUP, encode_refusal(refusal))


def _always(_: bytes) -> bool:
    return True
