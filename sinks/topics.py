"""The names of the topics, all made from one prefix."""

from __future__ import annotations

from typing import NamedTuple


class Topics(NamedTuple):
    """Who writes what: agents write `raw`, members `requests`, the job writes the others."""

    raw: str
    ordered: str
    quarantine: str
    counters: str
    waits: str
    gaps: str
    requests: str
    answers: str
    membership: str

    @classmethod
    def with_prefix(cls, prefix: str) -> Topics:
        """`precede` gives `precede.raw`, `precede.ordered` and so on."""
        return cls(*(f"{prefix}.{name}" for name in cls._fields))


TOPIC_MEANINGS = {
    "raw": (
        "the group, or nothing",
        "one captured datagram (`ingest/wire/envelope.py`), a bundle of several "
        "(`ingest/wire/bundle.py`), or a tick of the job's own",
    ),
    "ordered": (
        "the group",
        "one delivery: a head of 48 bytes (`sinks/records.py`) and the envelope as it was "
        "captured; or a cloud event, the payload with headers (`sinks/cloud_events.py`)",
    ),
    "quarantine": ("the group, or nothing", "the same head, the reason, and the bytes"),
    "counters": (
        "the raw partition",
        "JSON: how far the job is in the partition, and what became of all that was captured",
    ),
    "waits": (
        "the group",
        "the same head and JSON: a message is held and what it waits for, or its wait has ended "
        "(`sinks/waits.py`)",
    ),
    "gaps": (
        "the group",
        "JSON, for alerts: something is missing (`open`), came after all (`closed`), or was given "
        "up (`abandoned`); a repeat has no ordinal to know it by, and the same bytes",
    ),
    "requests": (
        "the group",
        "what a member has of a group and what it wants of the rest: an envelope of kind "
        "synchronisation (`ingest/wire/synchronisation.py`)",
    ),
    "answers": (
        "the requester's pid",
        "a page of what it lacks, in the order of delivery (`ingest/wire/archive.py`); a repeat "
        "has the same positions",
    ),
    "membership": (
        "the group, or `*` for all",
        "the same head and the envelope of group management as it was captured: a member came, "
        "left, or told what it knows (`sinks/membership.py`)",
    ),
}
"""For each topic its key and its value, in words; `docs/reference/tables.md` is made from them."""
