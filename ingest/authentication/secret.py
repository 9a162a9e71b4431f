"""Bytes that must not be seen: shown as stars, and in no pickle, log or error.

Spark and multiprocessing send values around by pickling them; a secret refuses, so that a key
can't reach a worker, a checkpoint or a core of the cluster by mistake.
"""

import hmac
from hashlib import blake2b
from typing import NoReturn

SHOWN_AS = "**********"


class Secret:
    """Holds bytes; `reveal` is the only way to them, so that every use can be found."""

    __slots__ = ("_value",)

    def __init__(self, value: bytes) -> None:
        self._value = value

    def reveal(self) -> bytes:
        """The bytes. Called where keys are derived and where the key file is written."""
        return self._value

    def fingerprint(self) -> str:
        """Eight bytes by which people compare keys; nothing can be learned from them."""
        return blake2b(self._value, digest_size=8, person=b"precede finger").hexdigest()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and hmac.compare_digest(self._value, other._value)

    def __hash__(self) -> int:
        return hash(self.fingerprint())

    def __repr__(self) -> str:
        return f"Secret({SHOWN_AS})"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a secret is not sent anywhere; send the path of its file")
