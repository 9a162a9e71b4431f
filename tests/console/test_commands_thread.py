"""`precede thread`: the conversation around one message."""

from __future__ import annotations

import json

import pytest

from tests.console.shop import precede


def test_a_thread_is_drawn_from_its_root_with_the_message_marked(
    shop: str, capsys: pytest.CaptureFixture[str]
) -> None:
    said = precede(capsys, "thread", "bob#1:1", "--tables", shop)
    assert said.lines == [
        "     1  ann#1  Two teas and a scone, please.",
        "     2  └─ bob#1  Right away!  <- this one",
        "     3     └─ cat#1  The scones are all gone.",
        "     4        └─ ann#1  Then a slice of cake.",
    ]


def test_below_leaves_out_what_the_message_answers(
    shop: str, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ("thread", "cat#1:1", "--group", "shop", "--below", "--tables", shop)
    said = precede(capsys, *arguments, "--output", "jsonl")
    assert [json.loads(line)["id"] for line in said.lines] == ["cat#1:1", "ann#1:2"]


def test_an_id_of_several_groups_asks_for_one(
    shop: str, capsys: pytest.CaptureFixture[str]
) -> None:
    said = precede(capsys, "thread", "cat#1:1", "--tables", shop)
    assert "several groups (kitchen, shop): choose one with --group" in said.progress


def test_a_message_that_was_not_delivered_points_to_why(
    shop: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "precede why bob#1:2" in precede(capsys, "thread", "bob#1:2", "--tables", shop).progress
