"""`precede tail`: every delivered message once, from the table or the topic, in a format."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from deploy.local.broker import Broker
from tests.console.shop import precede
from tests.sinks.ordered_topics import write_ordered
from tests.topic_tools import new_topics


def test_a_table_is_printed_in_order_and_ends_at_its_end(
    shop: str, capsys: pytest.CaptureFixture[str]
) -> None:
    said = precede(capsys, "tail", "--source", "tables", "--tables", shop, "--exit")
    assert said.code == 0
    assert said.lines[:2] == [
        "shop 1 ann#1:1 -  Two teas and a scone, please.",
        "shop 2 bob#1:1 ann#1:1  Right away!",
    ]
    assert len(said.lines) == 8


def test_a_format_a_group_and_a_count(shop: str, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ("tail", "--source", "tables", "--tables", shop, "-e", "--group", "kitchen")
    said = precede(capsys, *arguments, "-n", "2", "-f", r"%P\t%u %s\n")
    assert said.lines == ["1\tcat#1 Cake: one slice, table 4.", "2\tfay#1 A minute."]


def test_a_line_of_json_has_everything_of_a_delivery(
    shop: str, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ("tail", "--source", "tables", "--tables", shop, "-e", "-n", "1")
    row = json.loads(precede(capsys, *arguments, "--output", "jsonl").out)
    assert row["text"] == "Two teas and a scone, please."
    assert row["captured_at"] == 1_767_603_600_000_000
    assert "payload" not in row


def test_what_does_not_fit_together_is_refused(
    shop: str, capsys: pytest.CaptureFixture[str]
) -> None:
    base = ("tail", "--source", "tables", "--tables", shop)
    for extra in (
        ("--output", "json"),
        ("--output", "jsonl", "-f", "%s"),
        ("-f", "%Q"),
        ("--resume", "x"),
        ("--from", "precede1.abc"),
    ):
        assert precede(capsys, *base, *extra).code == 2


@pytest.mark.broker
def test_a_topic_is_followed_and_gone_on_with_where_it_ended(
    broker: Broker, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kafka = new_topics(broker.bootstrap)
    write_ordered(kafka, [1, 2, 2, 3])
    place = tmp_path / "place"
    arguments = (
        "tail", "--bootstrap", kafka.bootstrap, "--topic-prefix", kafka.topic_prefix, "--exit",
        "--resume", str(place), "-f", r"%O %k\n",
    )  # fmt: skip
    assert precede(capsys, *arguments).lines == ["1 g", "2 g", "3 g"]
    write_ordered(kafka, [3, 4, 6])
    said = precede(capsys, *arguments)
    assert said.lines == ["4 g"]
    assert said.code == 1
    assert "ordinals 5 to 5" in said.progress
    assert precede(capsys, *arguments, "--from", "end").code == 2
