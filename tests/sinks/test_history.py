"""Laws of reading what was delivered: whole, in order, as it is now, and bounded."""

from __future__ import annotations

import logging
import shutil
from pathlib import Path

import pytest

from ingest.wire.envelope import encode
from ordering.values import MemberId, MessageId
from sinks.errors import DestinationError
from sinks.history import History, IndexPart
from sinks.tables import DELIVERIES
from tests.ingest.envelopes import plain
from tests.messages import wire
from tests.sinks.delivered_rows import write_deliveries

ENVELOPES = [
    wire("alice", 1),
    wire("bob", 1, ("alice", 1)),
    wire("alice", 2, ("bob", 1), ("alice", 1)),
    wire("carol", 1, group="other"),
    wire("bob", 2),
]


def history_of(directory: Path) -> History:
    history = History(str(directory))
    history.refresh()
    return history


def triples(part: IndexPart) -> list[tuple[str, int, int]]:
    senders = [part.senders[code] for code in part.codes]
    return list(zip(senders, part.seqs.tolist(), part.positions.tolist(), strict=True))


def test_the_index_has_every_delivery_of_the_group_and_no_other(tmp_path: Path) -> None:
    write_deliveries(tmp_path, ENVELOPES)
    found = [one for part in history_of(tmp_path).index("g") for one in triples(part)]
    assert sorted(found) == [
        ("alice#1", 1, 1), ("alice#1", 2, 3), ("bob#1", 1, 2), ("bob#1", 2, 4),
    ]  # fmt: skip
    assert list(history_of(tmp_path).index("nobody")) == []


def test_links_come_in_order_with_all_parents(tmp_path: Path) -> None:
    write_deliveries(tmp_path, ENVELOPES)
    links = history_of(tmp_path).links("g", low=2, high=3)
    assert [link.position for link in links] == [2, 3]
    first = MessageId(MemberId("alice#1"), 1)
    assert links[1].parents == (MessageId(MemberId("bob#1"), 1), first)
    assert links[0].parents == (first,)


def test_envelopes_are_the_captured_bytes_in_order_even_if_some_are_left_out(
    tmp_path: Path,
) -> None:
    write_deliveries(tmp_path, ENVELOPES)
    history = history_of(tmp_path)
    of_g = [envelope for envelope in ENVELOPES if b"carol" not in envelope]
    assert history.envelopes("g", [1, 2, 3, 4], most_bytes=1_000) == list(enumerate(of_g, start=1))
    assert history.envelopes("g", [1, 4], most_bytes=1_000) == [(1, of_g[0]), (4, of_g[3])]
    assert history.envelopes("g", [], most_bytes=1_000) == []


def test_what_is_too_long_for_a_member_is_left_out(tmp_path: Path) -> None:
    write_deliveries(tmp_path, [wire("a", 1, payload=b"x" * 5_000), wire("a", 2)])
    assert history_of(tmp_path).envelopes("g", [1, 2], most_bytes=1_000) == [(2, wire("a", 2))]


def test_a_clock_beyond_all_years_stops_nobody(tmp_path: Path) -> None:
    envelope = encode(plain()._replace(sent_at=2**62))
    write_deliveries(tmp_path, [envelope])
    assert history_of(tmp_path).envelopes("dev", [1], most_bytes=1_000) == [(1, envelope)]


def test_what_came_since_is_seen_after_a_refresh(tmp_path: Path) -> None:
    write_deliveries(tmp_path, [wire("a", 1)])
    history = history_of(tmp_path)
    write_deliveries(tmp_path, [wire("a", 2)], first=2)
    assert len(history.links("g", low=1, high=9)) == 1
    history.refresh()
    assert len(history.links("g", low=1, high=9)) == 2


def test_a_missing_table_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(DestinationError, match="no Delta table"):
        History(str(tmp_path)).refresh()
    with pytest.raises(DestinationError, match="not looked at"):
        History(str(tmp_path)).links("g", low=1, high=1)


def test_a_file_that_is_gone_is_one_sentence_and_the_next_refresh_looks_anew(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.CRITICAL)
    write_deliveries(tmp_path, [wire("a", 1)])
    history = history_of(tmp_path)
    for file in (tmp_path / DELIVERIES.name).glob("*.parquet"):
        file.unlink()
    with pytest.raises(DestinationError, match="cannot be read"):
        history.links("g", low=1, high=1)
    shutil.rmtree(tmp_path / DELIVERIES.name)
    write_deliveries(tmp_path, [wire("a", 1), wire("a", 2)])
    history.refresh()
    assert len(history.links("g", low=1, high=9)) == 2
