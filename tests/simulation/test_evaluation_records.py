"""Laws of reading: nothing is lost, and sending order never breaks a link."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from ordering.values import MemberId, MessageId
from simulation.evaluation.errors import MissingDataError
from simulation.evaluation.records import SECOND_US, Kind, read_sets


def write(file: Path, records: list[dict[str, Any]]) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    text = "".join(json.dumps(record) + "\n" for record in records).encode()
    file.write_bytes(gzip.compress(text) if file.suffix == ".gz" else text)


def chat(sender: str, seq: int, parent: list[Any] | None = None, **more: Any) -> dict[str, Any]:
    record = {"group": "g", "sender": sender, "seq": seq, "parent": parent, "at": None}
    return record | {"data": "hello"} | more


def test_a_directory_without_messages_is_an_error_that_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(MissingDataError, match="--data-directory"):
        read_sets(tmp_path)


def test_chat_files_of_one_folder_are_one_set_and_a_minute_is_spread_evenly(
    tmp_path: Path,
) -> None:
    lines = [chat("a", 1, clock="23:59"), chat("b", 1, clock="23:59"), chat("a", 2, clock="00:01")]
    write(tmp_path / "irc" / "one.jsonl.gz", lines)
    write(tmp_path / "irc" / "two.jsonl", [chat("a", 1, clock="10:00") | {"group": "h"}])
    (one,) = read_sets(tmp_path)
    assert (one.name, one.kind, len(one.groups)) == ("irc", Kind.CHAT, 2)
    first, second, third = one.groups[0]
    assert second.sent_at - first.sent_at == 30 * SECOND_US
    assert third.sent_at - first.sent_at == 120 * SECOND_US


def test_spans_are_put_into_the_order_in_which_they_began(tmp_path: Path) -> None:
    def span(sender: str, seq: int, parent: list[Any] | None, start: int, end: float) -> Any:
        return chat(sender, seq, parent) | {"at": end, "data": {"start": start * 1000}}

    write(
        tmp_path / "spans" / "shop.jsonl",
        [span("pod", 1, ["front", 1], 50, 1.0), span("front", 1, None, 40, 2.0)],
    )
    (one,) = read_sets(tmp_path)
    assert (one.name, one.kind) == ("shop", Kind.SPANS)
    assert [sent.id.sender for sent in one.groups[0]] == ["front#1", "pod#1"]
    assert [sent.maybe_arrived_at for sent in one.groups[0]] == [2 * SECOND_US, SECOND_US]


def test_a_parent_is_sent_before_its_child_whatever_the_clocks_say(tmp_path: Path) -> None:
    lines = [chat("a", 1, ["b", 1], clock="10:00"), chat("b", 1, clock="10:05")]
    write(tmp_path / "irc" / "skewed.jsonl", lines)
    (one,) = read_sets(tmp_path)
    assert [sent.id for sent in one.groups[0]] == [
        MessageId(MemberId("b#1"), 1),
        MessageId(MemberId("a#1"), 1),
    ]


def test_vector_clocks_further_parents_and_missing_parents_are_kept(tmp_path: Path) -> None:
    lines = [
        chat("a", 1, ["missing-x", 0], clock={"a": 1}),
        chat("b", 1, ["a", 1], clock={"a": 1, "b": 1}, also=[["a", 1]]),
    ]
    write(tmp_path / "clocks" / "log.jsonl", lines)
    (one,) = read_sets(tmp_path)
    first, second = one.groups[0]
    assert one.kind is Kind.CLOCKS
    assert first.parents == (MessageId(MemberId("missing-x#1"), 1),)
    assert second.clock == ((MemberId("a#1"), 1), (MemberId("b#1"), 1))
    assert len(second.parents) == 2


def test_lines_whose_parent_nobody_looked_for_are_known(tmp_path: Path) -> None:
    lines = [chat("a", 1, annotated=False, at=0.0), chat("a", 2, annotated=True, at=1.5)]
    write(tmp_path / "irc" / "some.jsonl", lines)
    (one,) = read_sets(tmp_path)
    assert [sent.is_linked for sent in one.groups[0]] == [False, True]
    assert [sent.sent_at for sent in one.groups[0]] == [0, 1_500_000]
