"""The judges of the kill tests find what is planted, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.end_to_end.arrivals import Arrival, Seen, judge
from tests.end_to_end.folder_watch import FolderWatch
from tests.end_to_end.outcome import Outcome, compare
from tests.end_to_end.readers import TableSeen, look_at

BATCH_ENDS = [3, 6, 9]


def arrived(*ordinals: int, changed: int = 0) -> list[Arrival]:
    arrivals = [Arrival(ordinal, str(ordinal).encode()) for ordinal in ordinals]
    if changed:
        arrivals.append(Arrival(changed, b"other bytes"))
    return arrivals


def test_a_batch_may_come_again_whole_or_in_part_and_more_than_once() -> None:
    seen = judge(arrived(1, 2, 3, 4, 5, 4, 5, 6, 4, 5, 6, 7, 8, 9), batch_ends=BATCH_ENDS)
    assert seen == Seen(records=14, repeats=5, furthest_back=3)
    assert seen.is_kept


def test_two_writers_of_one_batch_may_overlap() -> None:
    assert judge(arrived(1, 2, 3, 4, 5, 4, 6, 5, 6), batch_ends=BATCH_ENDS).is_kept


@pytest.mark.parametrize(
    ("arrivals", "fault"),
    [
        (arrived(1, 2, 3, 4, 5, changed=5), {"changed": 1}),
        (arrived(1, 2, 4), {"skipped": 1}),
        (arrived(1, 2, 3, 4, 3), {"too_far_back": 1}),
        (arrived(1, 2, 3, 4, 5, 6, 7, 6), {"too_far_back": 1}),
        (arrived(1, 2, 3, 4, 5, 6, 4, 3), {"too_far_back": 1}),
    ],
)
def test_a_broken_promise_is_counted(arrivals: list[Arrival], fault: dict[str, int]) -> None:
    seen = judge(arrivals, batch_ends=BATCH_ENDS)
    assert not seen.is_kept
    assert {name: getattr(seen, name) for name in fault} == fault


def test_the_last_record_of_a_whole_batch_may_still_be_followed_by_that_batch_again() -> None:
    assert judge(arrived(1, 2, 3, 4, 5, 6, 4, 5, 6), batch_ends=BATCH_ENDS).too_far_back == 0


@pytest.mark.parametrize(
    ("versions", "fault"),
    [
        ([[(0, 1), (0, 2), (0, 2)]], "duplicated"),
        ([[(0, 1), (0, 3)]], "missing"),
        ([[(0, 1), (0, 2)], [(0, 1)]], "vanished"),
    ],
)
def test_a_table_that_shows_something_wrong_is_found(
    versions: list[list[tuple[int, int]]], fault: str
) -> None:
    seen = TableSeen()
    for rows in versions:
        seen = look_at(seen, rows)
    assert getattr(seen, fault) == 1
    assert not seen.is_kept


def test_a_table_that_grows_row_by_row_is_right() -> None:
    seen = look_at(look_at(TableSeen(), [(0, 1)]), [(0, 1), (1, 1), (0, 2)])
    assert seen.is_kept
    assert (seen.versions, seen.rows) == (2, 3)


@pytest.mark.parametrize(
    ("delivered", "expected"),
    [
        ([b"a", b"b", b"c"], Outcome(0, 0, 0, 0, 3)),
        ([b"a", b"c"], Outcome(1, 0, 0, 0, 2)),
        ([b"a", b"b", b"c", b"b"], Outcome(0, 1, 0, 0, 4)),
        ([b"b", b"a", b"c"], Outcome(0, 0, 2, 0, 3)),
    ],
)
def test_a_difference_from_the_oracle_is_counted(delivered: list[bytes], expected: Outcome) -> None:
    found = compare({"g": [b"a", b"b", b"c"]}, {"g": delivered})
    assert found == expected
    assert found.ok == (delivered == [b"a", b"b", b"c"])


def test_a_group_that_nobody_expected_is_counted() -> None:
    assert compare({}, {"g": [b"a"]}).duplicated == 1
    assert compare({"g": [b"a"]}, {}).lost == 1


def test_a_new_file_is_told_whether_it_was_made_or_renamed(tmp_path: Path) -> None:
    watch = FolderWatch()
    assert not watch.add(tmp_path / "not there")
    assert watch.add(tmp_path)
    (tmp_path / "part").touch()
    (tmp_path / "part").rename(tmp_path / "whole")
    found = [path.name for path in watch.wait(within_seconds=5)]
    watch.close()
    assert found == ["part", "whole"]
