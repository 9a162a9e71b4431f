"""Which rows may be missing from a table because upkeep has deleted them for their age."""

from __future__ import annotations

from collections.abc import Mapping

US_PER_DAY = 86_400_000_000


class Expiry:
    """The tables that have a retention, as the instant before which their rows may be gone."""

    def __init__(self, days: Mapping[str, int] | None = None, *, now: int = 0) -> None:
        """`days` as in `job.retention`; `now` in microseconds."""
        self._before = {table: now - kept * US_PER_DAY for table, kept in (days or {}).items()}
        self._places: set[tuple[str, tuple[int, int]]] = set()

    def note(self, table: str, place: tuple[int, int], *, captured_at: int) -> None:
        """Take notice of a record: its partition and ordinal, and when it was captured."""
        if captured_at < self._before.get(table, 0):
            self._places.add((table, place))

    def is_expired(self, table: str, place: tuple[int, int]) -> bool:
        """May the row of this record be gone?"""
        return (table, place) in self._places
