"""Law: an option name of Kafka, Spark or Delta stands in one module."""

from __future__ import annotations

import pytest

from tests.tidy.foreign_options import Several, names_in, repeated_names
from tests.tidy.repository import SourceFile, must_be_none, repository, room_files


def in_two(text: str) -> list[str]:
    return repeated_names([SourceFile("a.py", text), SourceFile("b.py", text)], {})


def test_every_foreign_option_name_stands_in_one_module() -> None:
    must_be_none(repeated_names(room_files(repository())))


@pytest.mark.parametrize(
    "text",
    [
        "'spark.sql.shuffle.partitions'",
        "'kafka.bootstrap.servers'",
        "'delta.logRetentionDuration'",
        "{'bootstrap.servers': 1}",
        "'enable.idempotence'",
        "'process.roles=broker'",
        "f'max.poll.records={n}'",
    ],
)
def test_a_planted_repetition_is_found(text: str) -> None:
    assert len(in_two(f"x = {text}")) == 1


@pytest.mark.parametrize(
    "text",
    [
        "x = 'kafka.bootstrap'",
        "x = 'server.properties'",
        "x = 'log.properties'",
        "x = 'see spark.sql.extensions for more'",
        "def f():\n    'spark.sql.extensions'",
        "x = 'console.command'",
    ],
)
def test_what_only_looks_alike_is_let_be(text: str) -> None:
    assert in_two(text) == []


def test_one_module_may_use_a_name_as_often_as_it_likes() -> None:
    text = "a = 'linger.ms'\nb = 'linger.ms'"
    assert repeated_names([SourceFile("a.py", text)], {}) == []
    assert list(names_in(SourceFile("a.py", text))) == ["linger.ms", "linger.ms"]


def test_an_exception_counts_and_goes_when_it_is_not_needed_any_more() -> None:
    twice = [SourceFile("a.py", "x = 'linger.ms'"), SourceFile("b.py", "x = 'linger.ms'")]
    both = {"linger.ms": Several(frozenset({"a.py", "b.py"}), "why")}
    assert repeated_names(twice, both) == []
    assert len(repeated_names(twice[:1], both)) == 1
    assert len(repeated_names([*twice, SourceFile("c.py", "x = 'linger.ms'")], both)) == 1
