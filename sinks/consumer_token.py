"""Resume tokens: where a consumer stands, as a short text that a program can keep.

A token says, for each partition, the last ordinal that was given and the next offset of the topic.
The ordinal decides; the offset only spares a search. The form is `precede1.` and base64 of a JSON
object with a checksum behind it; programs keep it as it is and look at nothing in it.
"""

from __future__ import annotations

import base64
import binascii
import json
import zlib
from collections.abc import Mapping
from typing import NamedTuple

from sinks.errors import TokenError

UNKNOWN_OFFSET = -1
_PREFIX = "precede"
_VERSION = "1"
_CHECKSUM_BYTES = 4
MOST_CHARACTERS = 100_000
"""More than 1,024 partitions with the largest numbers need."""


class Place(NamedTuple):
    """Where reading stands in one partition."""

    ordinal: int | None
    """The last one given; None if the next one is taken whatever its number."""
    offset: int = UNKNOWN_OFFSET
    """The next offset of the topic, if it is known."""


class Token(NamedTuple):
    """What a token says."""

    topic: str
    groups: tuple[str, ...] | None
    places: Mapping[int, Place]


def write_token(token: Token) -> str:
    """The text of a token."""
    fields = {
        "topic": token.topic,
        "groups": token.groups,
        "places": {str(partition): list(place) for partition, place in token.places.items()},
    }
    content = json.dumps(fields, separators=(",", ":"), sort_keys=True).encode()
    checksum = zlib.crc32(content).to_bytes(_CHECKSUM_BYTES, "big")
    body = base64.urlsafe_b64encode(content + checksum).decode().rstrip("=")
    return f"{_PREFIX}{_VERSION}.{body}"


def read_token(text: str, *, topic: str, groups: tuple[str, ...] | None) -> Mapping[int, Place]:
    """The places of a token; raises `TokenError` if it does not fit this topic and these groups."""
    token = _parsed(text)
    if token.topic != topic:
        raise TokenError(
            f"the token is of the topic {token.topic}, and {topic} is read: "
            "use the token with its own topic, or start from Start.BEGINNING"
        )
    if token.groups != groups:
        raise TokenError(
            f"the token was made while reading {_said(token.groups)}, and now {_said(groups)} "
            "shall be read: resume with the same groups, or start from Start.BEGINNING"
        )
    return token.places


def _parsed(text: str) -> Token:
    head, _, body = text.strip().partition(".")
    if not head.startswith(_PREFIX) or not body or len(text) > MOST_CHARACTERS:
        raise TokenError("this is no resume token: one begins with precede1. and has one line")
    if head != _PREFIX + _VERSION:
        raise TokenError(
            f"the token has version {head.removeprefix(_PREFIX)}, this program reads version "
            f"{_VERSION}: use the release that made it, or start from Start.BEGINNING"
        )
    try:
        raw = base64.b64decode(body + "=" * (-len(body) % 4), altchars=b"-_", validate=True)
        content, checksum = raw[:-_CHECKSUM_BYTES], raw[-_CHECKSUM_BYTES:]
        if zlib.crc32(content).to_bytes(_CHECKSUM_BYTES, "big") != checksum:
            raise _broken()
        fields = json.loads(content)
        places = {int(number): Place(*place) for number, place in fields["places"].items()}
        groups = fields["groups"]
        return Token(fields["topic"], None if groups is None else tuple(groups), places)
    except (binascii.Error, ValueError, KeyError, TypeError, AttributeError) as error:
        raise _broken() from error


def _broken() -> TokenError:
    return TokenError(
        "the token is broken (its checksum does not fit): it was cut or changed; "
        "take an older one that is whole, or start from Start.BEGINNING"
    )


def _said(groups: tuple[str, ...] | None) -> str:
    return "every group" if groups is None else f"the groups {', '.join(groups)}"
