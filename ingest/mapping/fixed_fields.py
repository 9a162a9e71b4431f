"""Fields at fixed places of a datagram: `OFFSET:LENGTH:KIND`, counted in bytes from 0.

4:8:text       eight bytes of UTF-8; zeros and spaces at the end are padding
12:4:big       a number, its most significant byte first (network order)
12:4:little    a number, its least significant byte first
16:6:hex       six bytes, written as twelve hexadecimal digits
22::bytes      all the rest; for the payload
"""

import re
from collections.abc import Callable
from typing import Any, Final

from ingest.datagram import Datagram
from ingest.mapping.errors import MappingError, MappingReason
from ingest.mapping.fields import Field, common_field

_FORM: Final = re.compile(r"(\d{1,5}):(\d{0,5}):(text|big|little|hex|bytes)", re.ASCII)
_PADDING: Final = b"\x00 "
_MOST_NUMBER_BYTES: Final = 8

_KINDS: Final[dict[str, Callable[[bytes], Any]]] = {
    "text": lambda raw: _text(raw),
    "big": lambda raw: int.from_bytes(raw, "big"),
    "little": lambda raw: int.from_bytes(raw, "little"),
    "hex": lambda raw: raw.hex(),
    "bytes": lambda raw: raw,
}


def fixed_field(text: str) -> Field:
    """Make a field of its text; ValueError, which says what to write, if it is none."""
    maybe_common = common_field(text)
    if maybe_common is not None:
        return maybe_common
    match = _FORM.fullmatch(text)
    if match is None:
        raise ValueError(
            f"{text!r} is not a fixed place; write OFFSET:LENGTH:KIND, such as 12:4:big, where the"
            f" kind is one of {', '.join(_KINDS)}"
        )
    start, kind = int(match[1]), match[3]
    maybe_length = int(match[2]) if match[2] else None
    is_number = kind in ("big", "little")
    if is_number and (maybe_length is None or not 1 <= maybe_length <= _MOST_NUMBER_BYTES):
        raise ValueError(f"{text!r} is a number, which has 1 to {_MOST_NUMBER_BYTES} bytes")
    convert = _KINDS[kind]

    def field(_datagram: Datagram, document: bytes) -> Any:
        end = len(document) if maybe_length is None else start + maybe_length
        if end > len(document) or start > end:
            raise MappingError(
                MappingReason.TOO_SHORT, f"{len(document)} bytes; the field {text} ends at {end}"
            )
        return convert(document[start:end])

    return field


def payload_of_fixed(value: Any) -> bytes:
    """Give a field as the bytes of a payload."""
    return value if isinstance(value, bytes) else str(value).encode("utf-8")


def _text(raw: bytes) -> str:
    try:
        return raw.rstrip(_PADDING).decode("utf-8")
    except UnicodeDecodeError as error:
        raise MappingError(
            MappingReason.BAD_FIELD, f"a text is not UTF-8 at its byte {error.start}"
        ) from None
