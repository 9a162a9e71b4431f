"""The names of the topics, all made from one prefix."""

from __future__ import annotations

from typing import NamedTuple


class Topics(NamedTuple):
    """Who writes what: the agents write `raw`, the job writes the others."""

    raw: str
    ordered: str
    quarantine: str
    counters: str

    @classmethod
    def with_prefix(cls, prefix: str) -> Topics:
        """`precede` gives `precede.raw`, `precede.ordered` and so on."""
        return cls(*(f"{prefix}.{name}" for name in cls._fields))
