"""What the records of the topics look like, field by field; `docs/reference/tables.md` shows it.

The writers' own code is in `records.py`, `waits.py` and `membership.py`; the tests hold these
descriptions against what it writes.
"""

from __future__ import annotations

from typing import NamedTuple


class Field(NamedTuple):
    """One field: its name, its type (of the struct module, or of JSON), and what it says."""

    name: str
    kind: str
    meaning: str


HEAD_FIELDS = (
    Field("magic", "4s", "PRCO ordered, PRCQ quarantine, PRCW waits, PRCM membership"),
    Field("version", "B", "1"),
    Field("reserved", "B", "0"),
    Field("marks", "H", "bit 0 late, bit 1 parent missing"),
    Field("ordinal", "Q", "1, 2, 3 ... of this topic and partition; a repeat has a seen one"),
    Field("position", "Q", "of the delivery in its group; of the last one before it (membership)"),
    Field("partition", "I", "the raw partition (shard)"),
    Field("entry", "I", "the entry of the raw record, from 0"),
    Field("offset", "Q", "the offset of the raw record"),
    Field("captured_at", "Q", "when it was captured, microseconds since the epoch"),
)

AFTER_THE_HEAD = {
    "ordered": "the envelope exactly as it was captured (`ingest/wire/envelope.py`)",
    "quarantine": "two lengths (`H` reason, `H` detail), the reason and the detail in UTF-8, the "
    "bytes as they were captured",
    "waits": "a JSON object",
    "membership": "the envelope exactly as it was captured",
}

WAIT_FIELDS = (
    Field("id", "string", "the message that waits, as sender:seq"),
    Field("status", "string", "held; or how the wait ended: delivered, released, quarantined"),
    Field("at", "integer", "the log's time when this was told, microseconds"),
    Field("waiting_for", "string", "what it waits for, as sender:seq; while it is held"),
    Field("measure", "string", "id: exactly that message; else what of the sender up to it"),
    Field("by", "string", "who must confirm, where measure is acknowledged; else empty"),
)

GAP_FIELDS = (
    Field("partition", "integer", "the raw partition (shard)"),
    Field("group", "string", "the group"),
    Field("status", "string", "open, closed (it came after all) or abandoned (given up)"),
    Field("waiting_for", "string", "what is missing, as sender:seq"),
    Field("measure", "string", "as in waits"),
    Field("by", "string", "as in waits"),
    Field("at", "integer", "the log's time, microseconds"),
)

COUNTERS_FIELDS = (
    Field("partition", "integer", "the raw partition (shard)"),
    Field("through_offset", "integer", "everything up to here has been looked at; -1 for nothing"),
    Field(
        "captured", "integer", "delivered, held, duplicates, quarantined and membership together"
    ),
    Field("delivered", "integer", "given a position; also the last ordinal of ordered"),
    Field("held", "integer", "waiting now"),
    Field("duplicates", "integer", "captured again and dropped"),
    Field("quarantined", "integer", "will not be delivered; also the last ordinal of quarantine"),
    Field("groups", "integer", "groups that have a state"),
    Field("deadlines", "integer", "groups that give something up if only time passes"),
    Field("waits", "integer", "the last ordinal of waits"),
    Field("membership", "integer", "what members told; also the last ordinal of membership"),
    Field("gaps", "integer", "what is missing, as of each group's last tick"),
    Field("oldest_held_at", "integer", "when the oldest held message was captured; 0 for none"),
    Field("state_bytes", "integer", "size of the shard's state"),
    Field("reasons", "object", "what was quarantined, by reason"),
)
