"""What was given up to make room: counted by group, so that each group is told what it lost.

Dropping a file of the spool (`when_full = "drop-oldest"`) gives a `Dropped`; `gap_notices` turns it
into the notices that take the place of the messages (`ingest/wire/gap_notice.py`), one for each
group, on their way to the raw topic like any message.

A notice that is itself dropped is counted in, so that the sum over all notices that arrive is the
number of messages that did not.
"""

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from ingest.spool.record import Entry, EntryKind
from ingest.wire.envelope import decode
from ingest.wire.errors import WireError
from ingest.wire.gap_notice import CAPTURE_GAP, GapNotice, decode_notice, encode_notice
from ingest.wire.refusal import Refusal, encode_refusal
from ordering.values import GroupId

MOST_GROUPS: Final = 256
"""Groups that get a notice of their own for one dropped file; the others are summed in the last,
because notices must never take more room than the dropping made."""


class GroupLoss(NamedTuple):
    """What one group lost."""

    messages: int
    first_captured_at: int
    last_captured_at: int

    def plus(self, other: "GroupLoss") -> "GroupLoss":
        """Give both as one."""
        return GroupLoss(
            self.messages + other.messages,
            min(self.first_captured_at, other.first_captured_at),
            max(self.last_captured_at, other.last_captured_at),
        )


class Dropped(NamedTuple):
    """What was in a file that was removed before Kafka had it."""

    first: int
    last: int
    entries: int
    notices: int
    """How many of the entries were notices of earlier drops."""
    by_key: dict[bytes, GroupLoss]

    @property
    def messages(self) -> int:
        """How many messages were lost, those included that dropped notices spoke of."""
        return sum(loss.messages for loss in self.by_key.values())


def count_dropped(entries: Iterable[Entry]) -> Dropped:
    """Count what a file holds, before it is removed."""
    by_key: dict[bytes, GroupLoss] = {}
    first = last = count = notices = 0
    for entry in entries:
        first = first or entry.sequence
        last = entry.sequence
        count += 1
        notices += entry.kind is EntryKind.GAP_NOTICE
        loss = _loss_of(entry)
        maybe_known = by_key.get(entry.key)
        by_key[entry.key] = loss if maybe_known is None else maybe_known.plus(loss)
    return Dropped(first, last, count, notices, by_key)


def gap_notices(dropped: Dropped, *, agent: str) -> Iterator[tuple[int, bytes, bytes]]:
    """Give (captured_at, key, data) of the notices that stand for what was dropped.

    `agent` names who lost them; it becomes the sender of the notices.
    """
    named = sorted(dropped.by_key.items(), key=lambda item: -item[1].messages)
    rest = named[MOST_GROUPS:]
    others = (len(rest), sum(other.messages for _, other in rest))
    for number, (key, loss) in enumerate(named[:MOST_GROUPS]):
        notice = GapNotice(agent, *loss, *(others if number == 0 else ()))
        yield loss.last_captured_at, key, _data_of(notice, key, seq=max(1, dropped.first))


def read_notice(data: bytes) -> GapNotice | None:
    """Give the notice that these bytes are; None for any others."""
    try:
        return decode_notice(decode(data))
    except WireError:
        return None


def _loss_of(entry: Entry) -> GroupLoss:
    maybe_notice = read_notice(entry.data) if entry.kind is EntryKind.GAP_NOTICE else None
    if maybe_notice is None:
        return GroupLoss(1, entry.captured_at, entry.captured_at)
    return GroupLoss(
        maybe_notice.messages + maybe_notice.other_messages,
        maybe_notice.first_captured_at,
        maybe_notice.last_captured_at,
    )


def _data_of(notice: GapNotice, key: bytes, *, seq: int) -> bytes:
    """Write a notice for the group whose key this is; what had no group gets a refusal, as it had
    before, that says the same.
    """
    try:
        return encode_notice(notice, group=GroupId(key.decode("utf-8")), seq=seq)
    except (WireError, UnicodeDecodeError):
        return encode_refusal(Refusal(CAPTURE_GAP, notice.agent, str(notice), b""))
