from pathlib import Path
from random import Random

import pytest

from ingest.wire.bounds import INCARNATION_LAST
from members.errors import IncarnationError
from members.incarnation import EPOCH_S, clock_incarnation, counted_incarnation, later_pid
from ordering.values import MemberId


def test_every_start_takes_the_next_number(tmp_path: Path) -> None:
    path = tmp_path / "alice"
    assert [counted_incarnation(path) for _ in range(3)] == [1, 2, 3]
    assert path.read_text(encoding="ascii") == "3\n"


@pytest.mark.parametrize("text", ["", "one", "-4", str(INCARNATION_LAST), "\x00"])
def test_a_file_that_holds_no_number_is_refused_and_kept(tmp_path: Path, text: str) -> None:
    path = tmp_path / "alice"
    path.write_text(text, encoding="ascii")
    with pytest.raises(IncarnationError, match="write the last one that was used"):
        counted_incarnation(path)
    assert path.read_text(encoding="ascii") == text


def test_a_file_that_cannot_be_written_is_the_operators_error(tmp_path: Path) -> None:
    with pytest.raises(IncarnationError, match="give a file that can be written"):
        counted_incarnation(tmp_path / "no such folder" / "alice")


def test_a_later_start_has_a_higher_number_for_a_century() -> None:
    second = 1_000_000
    now = (EPOCH_S + 50_000_000) * second
    assert clock_incarnation(now) < clock_incarnation(now + second)
    century_us = 100 * 366 * 24 * 3_600 * second
    assert clock_incarnation(now + century_us) <= INCARNATION_LAST
    assert clock_incarnation(0) == 1


def test_two_of_one_pid_soon_part_ways() -> None:
    one = other = MemberId("alice#1")
    rngs = Random(1), Random(2)
    for _ in range(10):
        if one != other:
            break
        one, other = (
            later_pid(pid, known=4, rng=rng) for pid, rng in zip((one, other), rngs, strict=True)
        )
        assert int(one.partition("#")[2]) > 4
    assert one != other
