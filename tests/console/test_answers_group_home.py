"""A group's raw topic is the only one, the one that its rows name, or the one that is asked for."""

from __future__ import annotations

from pathlib import Path

import pytest

from console.answers.group_home import raw_topic_of, shards_of_group
from console.errors import UsageError
from sinks.settings import KafkaSettings
from tests.sinks.ordered_topics import write_table

ONE = KafkaSettings(topic_prefix="site")
TWO = KafkaSettings(raw_topics=("north.raw=2", "south.raw=1"))


def home(group: str, tables: Path, *, kafka: KafkaSettings = TWO, wanted: str | None = None) -> str:
    return raw_topic_of(group, kafka=kafka, tables=str(tables), wanted=wanted)


def test_with_one_raw_topic_nobody_is_asked(tmp_path: Path) -> None:
    assert home("any", tmp_path, kafka=ONE) == "site.raw"


def test_the_rows_of_a_group_say_where_it_lives(tmp_path: Path) -> None:
    write_table(str(tmp_path), [1, 2], partition=1, group="n")
    write_table(str(tmp_path), [1, 2], partition=2, group="s")
    assert shards_of_group("n", str(tmp_path)) == {1}
    assert (home("n", tmp_path), home("s", tmp_path)) == ("north.raw", "south.raw")


def test_an_unknown_group_and_one_of_two_topics_are_asked_for(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"one of north\.raw, south\.raw"):
        home("new", tmp_path)
    write_table(str(tmp_path), [1], partition=0, group="both")
    write_table(str(tmp_path), [1], partition=2, group="both")
    with pytest.raises(UsageError, match=r"both is in north\.raw, south\.raw"):
        home("both", tmp_path)
    assert home("both", tmp_path, wanted="south.raw") == "south.raw"
    with pytest.raises(UsageError, match=r"west\.raw is no raw topic"):
        home("both", tmp_path, wanted="west.raw")
