"""Following a table: what was, then what is added."""

from __future__ import annotations

from pathlib import Path

import pytest

from console.answers import following
from console.answers.following import Wish, follow
from console.answers.places import Places
from console.shared_options import Source
from sinks.settings import KafkaSettings
from tests.sinks.ordered_topics import write_table


def test_a_table_is_followed_as_it_grows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(following, "TABLE_LOOK_SECONDS", 0.0)
    write_table(str(tmp_path), [1, 2])
    wish = Wish(start="oldest", source=Source.TABLES)
    rows = follow(Places(KafkaSettings(), str(tmp_path)), wish)
    assert [next(rows).ordinal, next(rows).ordinal] == [1, 2]
    write_table(str(tmp_path), [3], partition=0)
    write_table(str(tmp_path), [1], partition=1)
    added = {(row.partition, row.ordinal) for row in (next(rows), next(rows))}
    assert added == {(0, 3), (1, 1)}
    rows.close()


def test_the_end_of_a_table_is_what_comes_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_table(str(tmp_path), [1, 2])
    monkeypatch.setattr("time.sleep", lambda _: write_table(str(tmp_path), [3]))
    rows = follow(Places(KafkaSettings(), str(tmp_path)), Wish(source=Source.TABLES, maybe_most=1))
    assert [row.ordinal for row in rows] == [3]
