"""What is known of one id, whatever became of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from console.answers.log_file import LogRecord
from console.answers.places import Places
from console.answers.reasons import Answer, Fate, answers_about
from console.answers.replaying import Replay
from console.answers.table_writing import TableWriter
from console.shared_options import Source
from ordering.policy import GroupPolicy
from ordering_udfs.group_policies import GroupPolicies
from sinks.settings import KafkaSettings
from tests.messages import wire


def about(tmp_path: Path, log: list[bytes], name: str, discipline: str = "semantic") -> Answer:
    policies = GroupPolicies(GroupPolicy(discipline=discipline), ())
    writer = TableWriter(tmp_path / "tables")
    records = [LogRecord(1_000_000 * n, value) for n, value in enumerate(log)]
    for part in Replay(policies).of_file(records):
        writer.take(part)
    writer.finish()
    places = Places(KafkaSettings(), str(tmp_path / "tables"))
    (answer,) = answers_about(places, name, maybe_group=None, source=Source.TABLES)
    return answer


def test_a_refused_message_gives_its_reason(tmp_path: Path) -> None:
    log = [wire("a", 1, ("a", 1))]
    answer = about(tmp_path, log, "a#1:1")
    assert answer.fate is Fate.QUARANTINED
    assert "is in quarantine" in answer.sentences[0]


def test_a_message_that_waits_for_a_refused_one_is_told_so(tmp_path: Path) -> None:
    log = [wire("a", 1, ("a", 1)), wire("b", 1, ("a", 1))]
    answer = about(tmp_path, log, "b#1:1")
    assert answer.fate is Fate.HELD
    assert answer.as_json()["missing"] == "a#1:1"
    assert "a#1:1 is in quarantine" in answer.sentences[-1]


def test_up_to_a_number_is_said_as_such(tmp_path: Path) -> None:
    answer = about(tmp_path, [wire("a", 3)], "a#1:3", discipline="fifo")
    assert answer.fate is Fate.HELD
    assert "a#1:2" in answer.sentences[0]


@pytest.mark.parametrize("name", ["a#1:1", "z#1:1"])
def test_something_is_always_answered(tmp_path: Path, name: str) -> None:
    assert about(tmp_path, [wire("a", 1)], name).sentences
