"""Fields of a JSON document, each named by a JSON Pointer (RFC 6901).

    {"head": {"from": "desk7", "n": 12}, "re": [{"from": "desk3", "n": 4}]}

    /head/from   "desk7"          /re/0/n   4          /head/to   absent

In a key, `~1` stands for a slash and `~0` for a tilde.
"""

from typing import Any

import msgspec

from ingest.mapping.errors import MappingError, MappingReason
from ingest.mapping.fields import ABSENT, Field, common_field


def parse_json(data: bytes) -> Any:
    """Read a document. Raises MappingError for whatever is none, however deep or odd."""
    try:
        return msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, ValueError) as error:
        raise MappingError(MappingReason.NOT_JSON, f"not JSON: {_first_line(error)}") from None


def json_field(text: str) -> Field:
    """Make a field of its text; ValueError, which says what to write, if it is none."""
    maybe_common = common_field(text)
    if maybe_common is not None:
        return maybe_common
    if not text.startswith("/"):
        raise ValueError(
            f"{text!r} is not the place of a JSON field; write a JSON Pointer such as /head/from"
        )
    keys = tuple(key.replace("~1", "/").replace("~0", "~") for key in text[1:].split("/"))
    return lambda _datagram, document: _value_at(document, keys)


def payload_of_json(value: Any) -> bytes:
    """Give a field as the bytes of a payload: text as it is, anything else as JSON."""
    if value is ABSENT:
        return b""
    return value.encode("utf-8") if isinstance(value, str) else msgspec.json.encode(value)


def _value_at(document: Any, keys: tuple[str, ...]) -> Any:
    for key in keys:
        if isinstance(document, dict):
            document = document.get(key)
        elif isinstance(document, list) and key.isascii() and key.isdigit() and len(key) < 6:
            place = int(key)
            document = document[place] if place < len(document) else ABSENT
        else:
            return ABSENT
    return document


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0][:200]
