"""May this datagram pass? The agent's question to authentication, in two halves.

    1. `authenticate`   is the tag right for the group's mode?          changes nothing
    2. `remember`       new, repeat, or too old to tell?                 moves the replay window

Between them the intake asks whether the sender is within its rate, so that a message that is
refused for its rate is not taken for a repeat when it is sent again. Groups of mode `none` pass
both halves untouched: without a tag anyone could move anyone's window.
"""

from enum import StrEnum

from ingest.authentication.errors import KeysError
from ingest.authentication.keyring import Keyring, Proof
from ingest.authentication.mode import GroupModes, Mode
from ingest.authentication.protection import parts_of
from ingest.authentication.replay_memory import Freshness, ReplayMemory
from ingest.authentication.settings import AuthenticationSettings
from ingest.wire.envelope import Envelope
from ingest.wire.names import group_of


class TagFault(StrEnum):
    """Why a tag does not let a datagram pass. The values stand in tables and counters."""

    UNTAGGED = "untagged"
    WRONG_MODE = "wrong_mode"
    UNKNOWN_KEY = "unknown_key"
    FORGED = "forged"


class Gate:
    """One for an agent, shared by its capture threads."""

    def __init__(
        self, modes: GroupModes, *, maybe_keyring: Keyring | None, memory: ReplayMemory
    ) -> None:
        if maybe_keyring is None and not modes.are_all_open:
            raise KeysError("some groups are protected and there are no keys; name a key file")
        self.maybe_keyring = maybe_keyring
        self._mode_of = modes.of
        self._are_all_open = modes.are_all_open
        self._memory = memory

    def authenticate(self, envelope: Envelope, datagram: bytes) -> TagFault | None:
        """Say why this datagram must not pass, or None: it may."""
        mode = self._mode_of(envelope.group)
        if mode is Mode.NONE or self.maybe_keyring is None:
            return None
        if not envelope.tag:
            return TagFault.UNTAGGED
        if envelope.is_sealed is not (mode is Mode.AEAD):
            return TagFault.WRONG_MODE
        proof = self.maybe_keyring.verify(envelope, datagram, mode=mode)
        if proof is Proof.AUTHENTIC:
            return None
        return TagFault.FORGED if proof is Proof.FORGED else TagFault.UNKNOWN_KEY

    def is_protected(self, envelope: Envelope) -> bool:
        """Is the sender of this envelope known by a tag, once it has passed?"""
        return self._mode_of(envelope.group) is not Mode.NONE

    def is_open(self, group: bytes) -> bool:
        """May anybody speak in this group? Asked about every plain message, by its group's bytes,
        which are those of a group id.
        """
        return self._are_all_open or self._mode_of(group_of(group)) is Mode.NONE

    def remember(self, envelope: Envelope, *, now: int) -> Freshness:
        """Say whether an authentic datagram is new; `now` is in microseconds of a clock that never
        goes back.
        """
        if self._mode_of(envelope.group) is Mode.NONE:
            return Freshness.NEW
        name, incarnation = parts_of(envelope.sender)
        sender = (envelope.group, name, int(envelope.kind))
        return self._memory.take(sender, incarnation=incarnation, seq=envelope.seq, now=now)


def open_gate(settings: AuthenticationSettings) -> Gate:
    """Make the gate that the settings ask for. Raises KeysError if the keys can't be used."""
    modes = settings.modes()
    is_needed = not modes.are_all_open and settings.keys_file is not None
    maybe_keyring = Keyring(settings.keys_file) if is_needed and settings.keys_file else None
    memory = ReplayMemory(width=settings.replay_window, below=settings.below_window)
    return Gate(modes, maybe_keyring=maybe_keyring, memory=memory)
