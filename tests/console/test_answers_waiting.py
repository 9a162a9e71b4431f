"""Who waits for what, against the views' own words: the newest row of a message counts."""

from __future__ import annotations

from console.answers.waiting import Gap, Pending, WaitRow, chain_of, gaps_of, pending_of


def row(ordinal: int, offset: int, name: str, waiting_for: str | None) -> WaitRow:
    status = "delivered" if waiting_for is None else "held"
    return WaitRow(
        "g", name, status, waiting_for, "id" if waiting_for else None, "", ordinal,
        0, offset, 0, offset, ordinal,
    )  # fmt: skip


LOG = [
    row(5, 13, "e#1:1", None),
    row(1, 10, "b#1:1", "a#1:1"),
    row(2, 11, "c#1:1", "a#1:1"),
    row(3, 12, "d#1:1", "b#1:1"),
    row(4, 13, "e#1:1", "x#1:9"),
]


def test_what_ended_is_not_pending_in_whatever_order_rows_come() -> None:
    assert [one.id for one in pending_of(LOG)] == ["b#1:1", "c#1:1", "d#1:1"]
    assert pending_of(reversed(LOG)) == pending_of(LOG)


def test_a_chain_ends_at_the_last_held_message() -> None:
    held = pending_of(LOG)
    assert [one.id for one in chain_of(held, held[-1])] == ["d#1:1", "b#1:1"]


def test_a_gap_is_what_is_not_held_itself() -> None:
    assert gaps_of(pending_of(LOG)) == [Gap("g", "a#1:1", "id", "", 2, 3, 10)]


def test_messages_that_wait_for_each_other_end_a_chain() -> None:
    held = [Pending("g", "a", "b", "id", "", 1, 1), Pending("g", "b", "a", "id", "", 2, 2)]
    assert [one.id for one in chain_of(held, held[0])] == ["a", "b"]
    assert sum(gap.blocked for gap in gaps_of(held)) == 2


def test_a_very_long_chain_costs_one_look_at_each_link() -> None:
    rows = [row(n, n, f"a#1:{n + 1}", f"a#1:{n}") for n in range(1, 20_001)]
    (gap,) = gaps_of(pending_of(rows))
    assert (gap.missing, gap.waiting, gap.blocked) == ("a#1:1", 1, 20_000)
