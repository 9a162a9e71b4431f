"""The form of the names in an envelope: group ids and pids, from bytes to checked text.

A group id is 1 to 255 bytes of UTF-8. A pid is `name#incarnation`: the same, and after the last
`#` a decimal number 1 to 2^32-1 without leading zeros, so that one pid has exactly one spelling.

    alice#1   yes      alice#01, alice#0, alice#+1, alice#, #1, alice   no

Control characters are refused in both: names end up on terminals, in logs and in headers, where a
newline or an escape sequence would speak for somebody else. The set is fixed (C0, DEL, C1) and
does not depend on the Unicode tables of the running Python, so that every reader of a log refuses
the same bytes.
"""

import re
from functools import lru_cache
from typing import Final

from ingest.wire import bounds
from ingest.wire.errors import WireError, WireReason
from ordering.values import GroupId, MemberId

_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_INCARNATION: Final = re.compile(r"[1-9][0-9]{0,9}", re.ASCII)


@lru_cache(maxsize=bounds.KNOWN_GROUPS)
def group_of(raw: bytes) -> GroupId:
    """Give the group id that these bytes spell. Called by the envelope for every message;
    remembered.
    """
    return GroupId(_text(raw, limit=bounds.GROUP_BYTES, reason=WireReason.BAD_GROUP))


@lru_cache(maxsize=bounds.KNOWN_NAMES)
def member_of(raw: bytes) -> MemberId:
    """Give the pid that these bytes spell. Called for every sender and every parent; remembered."""
    text = _text(raw, limit=bounds.MEMBER_BYTES, reason=WireReason.BAD_SENDER)
    name, mark, incarnation = text.rpartition("#")
    if not name or not mark:
        raise WireError(
            WireReason.BAD_SENDER, f"pid {text!r} is not name#incarnation; write it like alice#1"
        )
    if not _INCARNATION.fullmatch(incarnation) or int(incarnation) > bounds.INCARNATION_LAST:
        raise WireError(
            WireReason.BAD_SENDER,
            f"the incarnation of pid {text!r} is not a number 1 to {bounds.INCARNATION_LAST}",
        )
    return MemberId(text)


def _text(raw: bytes, *, limit: int, reason: WireReason) -> str:
    if not 1 <= len(raw) <= limit:
        raise WireError(reason, f"a name has {len(raw)} bytes; it must have 1 to {limit}")
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise WireError(reason, f"a name is not UTF-8 at its byte {error.start}") from None
    if _CONTROL.search(text):
        raise WireError(reason, f"the name {text!r} has a control character")
    return text
