"""`precede gaps`: what is missing, and how much it blocks."""

from __future__ import annotations

import json

import pytest

from tests.console.shop import precede


def test_a_gap_counts_who_waits_directly_and_who_waits_in_all(
    shop: str, capsys: pytest.CaptureFixture[str]
) -> None:
    said = precede(capsys, "gaps", "--tables", shop, "--output", "json")
    (gap,) = json.loads(said.out)["rows"]
    assert (gap["missing"], gap["waiting"], gap["blocked"]) == ("eve#1:1", 1, 3)
    assert precede(capsys, "gaps", "--tables", shop).lines[1].split()[:2] == ["shop", "eve#1:1"]
