"""`precede why`: the whole chain from a held message to the missing one."""

from __future__ import annotations

import json

import pytest

from tests.console.shop import precede


def test_a_held_message_is_explained_down_to_the_missing_one(
    shop: str, capsys: pytest.CaptureFixture[str]
) -> None:
    said = precede(capsys, "why", "bob#1:2", "--tables", shop)
    assert said.code == 0
    assert said.lines == [
        "held in shop",
        "  bob#1:2 waits for dan#1:2 since 2026-01-05 09:00:07",
        "    dan#1:2 waits for eve#1:2 since 2026-01-05 09:00:07",
        "      eve#1:2 waits for eve#1:1 since 2026-01-05 09:00:06",
        "        eve#1:1 is missing: nobody captured it",
    ]


def test_a_delivered_message_has_its_position_in_each_group(
    shop: str, capsys: pytest.CaptureFixture[str]
) -> None:
    said = precede(capsys, "why", "cat#1:1", "--tables", shop, "--output", "jsonl")
    answers = [json.loads(line) for line in said.lines]
    found = {(one["group"], one["fate"], one["position"]) for one in answers}
    assert found == {("shop", "delivered", 3), ("kitchen", "delivered", 1)}


def test_a_missing_message_is_named_as_such_with_exit_code_1(
    shop: str, capsys: pytest.CaptureFixture[str]
) -> None:
    said = precede(capsys, "why", "eve#1:1", "--tables", shop)
    assert said.code == 1
    assert "eve#1:1 is missing: nobody captured it, and 1 wait for it" in said.out
    assert precede(capsys, "why", "zoe#1:1", "--tables", shop).code == 1


def test_what_is_no_id_is_said_with_its_form(shop: str, capsys: pytest.CaptureFixture[str]) -> None:
    said = precede(capsys, "why", "yesterday", "--tables", shop)
    assert said.code == 2
    assert "name#incarnation:seq" in said.progress
