"""The live keys of an agent or a member, and the keys of senders that have proved themselves.

    keyring = Keyring(Path("/etc/precede/keys"))
    datagram = keyring.protect(envelope, mode=Mode.MAC)         # a member, with the newest key
    keyring.verify(decode(datagram), datagram, mode=Mode.MAC)   # an agent: Proof.AUTHENTIC
    keyring.reload().sentence                                   # after SIGHUP

A sender's key is derived when an envelope of its comes, and remembered only once a tag was right:
strangers make the agent derive, but they can't push a known sender out. Safe for several capture
threads: what changes is replaced as a whole.
"""

from enum import Enum, auto
from pathlib import Path
from typing import NamedTuple, TypeVar

from ingest.authentication import bounds
from ingest.authentication.derivation import narrowed, used_key
from ingest.authentication.errors import KeysError
from ingest.authentication.key_file import Key, Keys, read_keys
from ingest.authentication.mode import Mode
from ingest.authentication.protection import MacKey, SealKey, parts_of, sender_key
from ingest.wire.envelope import Envelope
from ordering.values import GroupId, MemberId

SenderKey = MacKey | SealKey
K = TypeVar("K")
V = TypeVar("V")
_Sender = tuple[int, Mode, int, GroupId, MemberId]
"""Key id, mode, kind, group, pid: with the incarnation, because the envelope has it so."""


class Proof(Enum):
    """What an envelope's tag proves."""

    AUTHENTIC = auto()
    FORGED = auto()
    UNKNOWN_KEY = auto()


class Reloaded(NamedTuple):
    """What a reload came to; the sentence is for the log and shows no key."""

    is_fresh: bool
    sentence: str


class _Live(NamedTuple):
    """The keys of a file and what was derived from them: replaced together."""

    keys: Keys
    by_group: dict[GroupId, Keys]
    """The keys of groups in which somebody proved itself: a stranger then costs half as much."""
    known: dict[_Sender, SenderKey]


class Keyring:
    """Keys by id and sender. Made by the agent and by members; raises KeysError without keys."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._live = _Live(read_keys(path), {}, {})

    def reload(self) -> Reloaded:
        """Read the file again; a file that can't be used leaves the keys as they are.

        Called at SIGHUP. Never raises for a bad file: the agent goes on, and says so.
        """
        before = _ids(self._live.keys)
        try:
            keys = read_keys(self._path)
        except KeysError as error:
            return Reloaded(is_fresh=False, sentence=f"kept {before}: {error}")
        self._live = _Live(keys, {}, {})
        return Reloaded(is_fresh=True, sentence=f"{self._path}: {_ids(keys)}, before {before}")

    def protect(self, envelope: Envelope, *, mode: Mode) -> bytes:
        """Give the bytes to send, tagged or sealed with the newest key.

        Called by members. Raises KeysError if the file has no key for this group and member, and
        WireError for an envelope that can't be sent.
        """
        live = self._live
        newest = live.keys.newest
        sender = (newest.id, mode, envelope.kind, envelope.group, envelope.sender)
        maybe_known = live.known.get(sender)
        key = maybe_known or _derived(live.keys, newest, sender)
        if maybe_known is None:
            _remember(live, sender, key)
        return key.protect(envelope._replace(key_id=newest.id))

    def verify(self, envelope: Envelope, datagram: bytes, *, mode: Mode) -> Proof:
        """Say what the tag of a captured datagram proves. Called for each, by capture threads."""
        live = self._live
        sender = (envelope.key_id, mode, envelope.kind, envelope.group, envelope.sender)
        maybe_known = live.known.get(sender)
        maybe_key = maybe_known or _maybe_derived(live, sender)
        if maybe_key is None:
            return Proof.UNKNOWN_KEY
        if len(envelope.tag) != bounds.TAG_BYTES:
            return Proof.FORGED
        if not maybe_key.is_authentic(envelope, datagram):
            return Proof.FORGED
        if maybe_known is None:
            _remember(live, sender, maybe_key)
        return Proof.AUTHENTIC

    def maybe_open(self, envelope: Envelope, datagram: bytes) -> bytes | None:
        """Give the plain payload of a sealed envelope, or None if no key of ours opens it.

        Called by readers of the raw and ordered topics, which keep payloads sealed.
        """
        sender = (envelope.key_id, Mode.AEAD, envelope.kind, envelope.group, envelope.sender)
        maybe_key = _maybe_derived(self._live, sender)
        is_sound = envelope.is_sealed and len(envelope.tag) == bounds.TAG_BYTES
        if not is_sound or not isinstance(maybe_key, SealKey):
            return None
        return maybe_key.maybe_open(envelope, datagram)

    def __repr__(self) -> str:
        return f"Keyring({self._path}, {_ids(self._live.keys)})"


def _maybe_derived(live: _Live, sender: _Sender) -> SenderKey | None:
    """Derive a sender's key, or give None: no live key has this id, or the file does not reach
    this group and member.
    """
    keys = live.by_group.get(sender[3], live.keys)
    maybe_key = next((key for key in keys.keys if key.id == sender[0]), None)
    if maybe_key is None:
        return None
    try:
        return _derived(keys, maybe_key, sender)
    except KeysError:
        return None


def _derived(keys: Keys, key: Key, sender: _Sender) -> SenderKey:
    _, mode, kind, group, pid = sender
    name, _ = parts_of(pid)
    secret = used_key(keys, key, mode=mode, kind=kind, group=group, name=name)
    return sender_key(mode, secret)


def _remember(live: _Live, sender: _Sender, key: SenderKey) -> None:
    _put(live.known, sender, key, most=bounds.KNOWN_SENDERS)
    group = sender[3]
    if live.keys.maybe_group is None and group not in live.by_group:
        group_keys = narrowed(live.keys, group=group, maybe_name=None)
        _put(live.by_group, group, group_keys, most=bounds.KNOWN_GROUPS)


def _put(known: dict[K, V], name: K, value: V, *, most: int) -> None:
    """Keep one more; the first that was kept makes room."""
    if name not in known and len(known) >= most:
        known.pop(next(iter(tuple(known))), None)
    known[name] = value


def _ids(keys: Keys) -> str:
    numbers = [str(key.id) for key in keys.keys]
    return f"key {numbers[0]}" if len(numbers) == 1 else f"keys {' and '.join(numbers)}"
