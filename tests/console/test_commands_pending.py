"""`precede pending`: what is held, the longest wait first."""

from __future__ import annotations

import json

import pytest

from tests.console.shop import precede


def test_held_messages_are_listed_with_what_they_wait_for(
    shop: str, capsys: pytest.CaptureFixture[str]
) -> None:
    said = precede(capsys, "pending", "--tables", shop)
    assert said.code == 0
    assert said.lines == [
        "group  id       waiting_for  measure  by  since",
        "shop   eve#1:2  eve#1:1      id       -   2026-01-05 09:00:06",
        "shop   dan#1:2  eve#1:2      id       -   2026-01-05 09:00:07",
        "shop   bob#1:2  dan#1:2      id       -   2026-01-05 09:00:07",
    ]


def test_a_limit_says_how_many_are_left_out_where_no_data_goes(
    shop: str, capsys: pytest.CaptureFixture[str]
) -> None:
    said = precede(capsys, "pending", "--tables", shop, "-n", "1", "--output", "jsonl")
    assert [json.loads(line)["id"] for line in said.lines] == ["eve#1:2"]
    assert "2 more: --limit 3 shows all" in said.progress


def test_a_group_without_waits_prints_nothing_as_data(
    shop: str, capsys: pytest.CaptureFixture[str]
) -> None:
    said = precede(capsys, "pending", "--tables", shop, "--group", "kitchen")
    assert (said.code, said.out, said.progress) == (0, "", "nothing is held in kitchen\n")
    said = precede(capsys, "pending", "--tables", shop, "--group", "kitchen", "--output", "json")
    assert json.loads(said.out) == {"ok": True, "count": 0, "rows": []}


def test_no_tables_is_one_sentence_and_exit_code_3(
    tmp_path: object, capsys: pytest.CaptureFixture[str]
) -> None:
    said = precede(capsys, "pending", "--tables", str(tmp_path))
    assert said.code == 3
    assert "there is no Delta table" in said.progress
