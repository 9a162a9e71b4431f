"""Questions to the Delta tables, without Spark: search, time travel, threads, what a newcomer gets.

Times are the log's: a message was delivered when the last of what it needed was captured, which is
the latest capture among its own and all earlier positions. So "as of 12:00" is all from the first
position on that was captured by 12:00, whoever asks and whenever.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from sinks.table_reader import open_dataset
from sinks.tables import DELIVERIES, WAITS, Table

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.dataset as ds

MOST_ROWS: Final = 2_000
"""Rows of one answer; more are counted and not sent."""

MOST_TEXT: Final = 64 * 1024
"""Characters of one text: as much as a datagram can carry."""

_MICROSECONDS: Final = 1_000_000
_SHOWN: Final = (
    "position", "id", "parent", "also", "payload", "marks", "sent_at", "captured_at", "ordinal",
)  # fmt: skip


class Answer(NamedTuple):
    """Messages in the order of their positions, and how many there would have been."""

    messages: list[dict[str, Any]]
    total: int
    held: list[dict[str, Any]]
    """What was held at that moment, where that was asked."""

    def shown(self) -> dict[str, Any]:
        """As a value for JSON."""
        return self._asdict()


class History:
    """The tables of one folder; every question opens them anew and so sees what is there now."""

    def __init__(self, directory: str) -> None:
        self._directory = directory

    def groups(self) -> list[str]:
        """Every group of the table, by name."""
        import pyarrow.compute as pc

        names = self._dataset(DELIVERIES).to_table(columns=["group"]).column("group")
        return sorted(pc.unique(names).to_pylist())

    def search(
        self, text: str, *, maybe_group: str | None = None, maybe_sender: str | None = None
    ) -> Answer:
        """Messages whose text has these words in it, capitals or not; the newest if too many."""
        import pyarrow.compute as pc

        field = pc.field
        condition = None if maybe_group is None else field("group") == maybe_group
        found: list[dict[str, Any]] = []
        total = 0
        dataset = self._dataset(DELIVERIES)
        for batch in dataset.to_batches(columns=["group", "sender", *_SHOWN], filter=condition):
            fits = pc.match_substring(batch.column("payload"), text, ignore_case=True)
            if maybe_sender:
                is_theirs = pc.match_substring(
                    batch.column("sender"), maybe_sender, ignore_case=True
                )
                fits = pc.and_(fits, is_theirs)
            rows = batch.filter(fits)
            total += rows.num_rows
            found += rows.to_pylist()
            if len(found) > 2 * MOST_ROWS:
                found = _newest(found)
        found = _newest(found)
        found.sort(key=lambda row: (row["group"], row["position"]))
        return Answer([_shown(row) for row in found], total, [])

    def as_of(
        self, group: str, *, maybe_position: int | None = None, maybe_at: int | None = None
    ) -> Answer:
        """The conversation as it was at a position or an instant, and what was held then."""
        times = self._times(group)
        last = len(times)
        if maybe_position is not None:
            last = min(last, max(0, maybe_position))
        if maybe_at is not None:
            last = min(last, sum(at <= maybe_at for at in times))
        rows = self._rows(group, first=max(1, last - MOST_ROWS + 1), last=last)
        if maybe_at is None:
            maybe_at = times[last - 1] if last else 0
        return Answer(_timed(rows, times), last, self._held_at(group, maybe_at, last=last))

    def thread(self, group: str, message_id: str) -> Answer:
        """A message, all that it answers, and all that answers it."""
        table = self._dataset(DELIVERIES).to_table(
            columns=["id", "parent", "also", "position"], filter=_is_of(group)
        )
        parents: dict[str, list[str]] = {}
        answers: dict[str, list[str]] = {}
        for id_, parent, also in zip(
            *(table.column(name).to_pylist() for name in ("id", "parent", "also")), strict=True
        ):
            parents[id_] = ([parent] if parent else []) + list(also or ())
            for one in parents[id_]:
                answers.setdefault(one, []).append(id_)
        wanted = _closure(message_id, parents) | _closure(message_id, answers)
        rows = [row for row in self._rows(group) if row["id"] in wanted]
        return Answer(_timed(rows[-MOST_ROWS:], self._times(group)), len(rows), [])

    def last(self, group: str, count: int) -> Answer:
        """The newest messages: what a newcomer gets who wants the last so many."""
        total = len(self._times(group))
        first = max(1, total - min(count, MOST_ROWS) + 1)
        rows = self._rows(group, first=first, last=total)
        return Answer(_timed(rows, self._times(group)), len(rows), [])

    def between(self, group: str, *, after: int, before: int, at_most: int) -> list[dict[str, Any]]:
        """Deliveries with ordinals between these two, oldest first: what a reader has missed."""
        import pyarrow.compute as pc

        ordinal = pc.field("ordinal")
        condition = _is_of(group) & (ordinal > after) & (ordinal < before)
        table = self._dataset(DELIVERIES).to_table(columns=list(_SHOWN), filter=condition)
        rows = table.sort_by("ordinal").slice(0, at_most).to_pylist()
        return [_shown(row) for row in rows]

    def _rows(
        self, group: str, *, first: int | None = None, last: int | None = None
    ) -> list[dict[str, Any]]:
        import pyarrow.compute as pc

        condition = _is_of(group)
        if first is not None:
            condition &= pc.field("position") >= first
        if last is not None:
            condition &= pc.field("position") <= last
        table = self._dataset(DELIVERIES).to_table(columns=list(_SHOWN), filter=condition)
        return list(table.sort_by("position").to_pylist())

    def _times(self, group: str) -> list[int]:
        """When each position was delivered, from the first on."""
        import pyarrow as pa
        import pyarrow.compute as pc

        table = self._dataset(DELIVERIES).to_table(
            columns=["position", "captured_at"], filter=_is_of(group)
        )
        captured = table.sort_by("position").column("captured_at").cast(pa.int64())
        return list(pc.cumulative_max(captured).to_pylist()) if len(captured) else []

    def _held_at(self, group: str, at: int, *, last: int) -> list[dict[str, Any]]:
        """What had been captured by then and was held, the last position being `last`.

        A wait that ended in a delivery ended with its position; the tick that told of it is later
        or earlier. Any other end counts from the tick that told it.
        """
        columns = ["id", "status", "waiting_for", "measure", "by", "at", "captured_at", "ordinal"]
        rows = self._dataset(WAITS).to_table(columns=columns, filter=_is_of(group)).to_pylist()
        positions = self._positions(group, [row["id"] for row in rows if row["status"] != "held"])
        newest: dict[str, dict[str, Any]] = {}
        for row in sorted(rows, key=lambda row: row["ordinal"]):
            if row["status"] == "held":
                is_past = microseconds(row["captured_at"]) <= at
            elif row["id"] in positions:
                is_past = positions[row["id"]] <= last
            else:
                is_past = microseconds(row["at"]) <= at
            if is_past:
                newest[row["id"]] = row
        return [
            {
                "id": row["id"],
                "waiting_for": row["waiting_for"],
                "measure": row["measure"],
                "by": row["by"],
                "since": microseconds(row["captured_at"]),
            }
            for row in newest.values()
            if row["status"] == "held"
        ][:MOST_ROWS]

    def _positions(self, group: str, ids: list[str]) -> dict[str, int]:
        """Where these were delivered, those that were."""
        import pyarrow as pa
        import pyarrow.compute as pc

        condition = _is_of(group) & pc.field("id").isin(pa.array(ids, pa.string()))
        table = self._dataset(DELIVERIES).to_table(columns=["id", "position"], filter=condition)
        pairs = (table.column(name).to_pylist() for name in ("id", "position"))
        return dict(zip(*pairs, strict=True))

    def _dataset(self, table: Table) -> ds.Dataset:
        return open_dataset(self._directory, table)


def microseconds(instant: datetime) -> int:
    """A time of a table as a number."""
    delta = instant.astimezone(UTC) - datetime(1970, 1, 1, tzinfo=UTC)
    return (delta.days * 86_400 + delta.seconds) * _MICROSECONDS + delta.microseconds


def _is_of(group: str) -> pa.compute.Expression:
    import pyarrow.compute as pc

    return pc.field("group") == group


def _newest(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return sorted(rows, key=lambda row: row["captured_at"])[-MOST_ROWS:]


def _closure(start: str, steps: dict[str, list[str]]) -> set[str]:
    """Everything that can be reached, the start too."""
    reached = {start}
    to_do = [start]
    while to_do:
        for one in steps.get(to_do.pop(), ()):
            if one not in reached:
                reached.add(one)
                to_do.append(one)
    return reached


def _timed(rows: Sequence[dict[str, Any]], times: Sequence[int]) -> list[dict[str, Any]]:
    """Rows as the page takes them, each with the time of its delivery."""

    def shown() -> Iterator[dict[str, Any]]:
        for row in rows:
            position = row["position"]
            at = times[position - 1] if position <= len(times) else None
            yield _shown(row) if at is None else _shown(row) | {"delivered_at": at}

    return list(shown())


def _shown(row: dict[str, Any]) -> dict[str, Any]:
    text = (row["payload"] or b"").decode(errors="replace")
    parents = ([row["parent"]] if row["parent"] else []) + list(row["also"] or ())
    captured_at = microseconds(row["captured_at"])
    shown = {
        "ordinal": row["ordinal"],
        "position": row["position"],
        "id": row["id"],
        "parents": parents,
        "text": text[:MOST_TEXT],
        "is_cut": len(text) > MOST_TEXT,
        "marks": list(row["marks"] or ()),
        "sent_at": microseconds(row["sent_at"]),
        "captured_at": captured_at,
        "delivered_at": captured_at,
    }
    return shown | {"group": row["group"]} if "group" in row else shown
