"""Records are counted by where Spark says that a batch began and ended."""

from __future__ import annotations

from typing import Any

import pytest

from streaming.progress import offsets_of, records_between

START = {"north": {"0": 5, "1": 7}}
END = {"north": {"0": 9, "1": 7}, "south": {"0": 3}}


@pytest.mark.parametrize(
    ("told", "found"),
    [
        ((START, END), (START, END)),
        (('{"north": {"0": 5, "1": 7}}', '{"north": {"0": 9}}'), (START, {"north": {"0": 9}})),
        ((None, END), (None, END)),
        (("null", "null"), (None, None)),
    ],
)
def test_offsets_are_the_same_as_text_and_opened(told: tuple[Any, Any], found: Any) -> None:
    start, end = told
    progress = {"sources": [{"startOffset": start, "endOffset": end}]}
    assert offsets_of(progress) == found


def test_all_partitions_count_and_a_new_one_from_its_first_offset() -> None:
    assert records_between(START, END) == 4 + 0 + 3


def test_a_first_batch_counts_from_the_beginning_and_a_trigger_without_an_end_nothing() -> None:
    assert records_between(None, END) == 9 + 7 + 3
    assert records_between(START, None) == 0
    assert records_between(END, END) == 0
