"""`precede replay`: any log through the engine, without Spark, at once."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from deploy.local.broker import Broker
from tests.console.shop import SHOP, precede
from tests.conversations import shuffled_conversation
from tests.topic_tools import expected_order, new_topics, produce


def test_a_file_is_put_in_order_and_summed_up(capsys: pytest.CaptureFixture[str]) -> None:
    said = precede(capsys, "replay", str(SHOP), "-f", r"%k %P %s\n")
    assert said.code == 0
    assert said.lines[2] == "shop 3 The scones are all gone."
    assert said.progress.startswith(
        "captured 14  delivered 8  held 3  duplicates 1  quarantined 2  groups 2  in "
    )


def test_json_is_only_the_sums(capsys: pytest.CaptureFixture[str]) -> None:
    result = json.loads(precede(capsys, "replay", str(SHOP), "--output", "json").out)
    assert result["ok"] is True
    assert (result["delivered"], result["held"]) == (8, 3)


def test_another_discipline_gives_another_order(capsys: pytest.CaptureFixture[str]) -> None:
    said = precede(capsys, "replay", str(SHOP), "--discipline", "none", "-f", "%i ")
    assert said.out.split()[1] == "cat#1:1"


def test_tables_are_written_into_a_new_folder_only(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    into = tmp_path / "tables"
    assert precede(capsys, "replay", str(SHOP), "--quiet", "--into", str(into)).out == ""
    said = precede(capsys, "pending", "--tables", str(into), "--output", "jsonl")
    assert len(said.lines) == 3
    again = precede(capsys, "replay", str(SHOP), "--into", str(into))
    assert again.code == 2
    assert "is not empty" in again.progress


def test_a_file_that_is_no_log_is_said_with_its_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wrong = tmp_path / "log.jsonl"
    wrong.write_text('{"group": "g", "sender": "a", "seq": 1}\n{"group": 7}\n')
    said = precede(capsys, "replay", str(wrong))
    assert said.code == 2
    assert "line 2" in said.progress


def test_nothing_of_spark_is_imported() -> None:
    program = (
        "import sys; from console.command import run\n"
        "from console.terminal import terminal_of_process\n"
        f"code = run(['replay', {str(SHOP)!r}, '--quiet'], terminal=terminal_of_process({{}}))\n"
        "heavy = {'pyspark', 'pandas', 'pyarrow', 'confluent_kafka'} & set(sys.modules)\n"
        "sys.exit(f'imported {heavy}' if heavy or code else 0)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=False,
        env=dict(os.environ),
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.broker
def test_a_topic_gives_what_the_job_must_give(
    broker: Broker, capsys: pytest.CaptureFixture[str]
) -> None:
    kafka = new_topics(broker.bootstrap)
    produce(kafka, shuffled_conversation(seed=5, groups=3, messages=300))
    arguments = ("--bootstrap", kafka.bootstrap, "--topic-prefix", kafka.topic_prefix)
    said = precede(capsys, "replay", *arguments, "--output", "jsonl")
    expected = expected_order(kafka)
    for group, envelopes in expected.items():
        rows = [json.loads(line) for line in said.lines]
        positions = [row["position"] for row in rows if row["group"] == group]
        assert positions == list(range(1, len(envelopes) + 1))
    assert len(said.lines) == sum(map(len, expected.values()))
