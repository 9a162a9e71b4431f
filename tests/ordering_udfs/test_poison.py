"""A record that our own program fails on is quarantined, and everything else goes on."""

from __future__ import annotations

import logging
from functools import partial

import pytest

from ingest.wire.bundle import pack
from ordering.engine import Engine
from ordering.policy import GroupPolicy
from ordering_udfs.errors import StateError
from ordering_udfs.group_policies import GroupPolicies
from ordering_udfs.poison import order_carefully
from ordering_udfs.shard import Shard
from ordering_udfs.shard_state import ShardState, decode_state, encode_state
from sinks.records import QuarantineRecord, decode_ordered, decode_quarantine
from tests.conversations import shuffled_conversation
from tests.fuzz.corpus import CORPUS, read
from tests.messages import wire
from tests.ordering_udfs.shards import POLICIES, RawRow, columns, come_to, rows

CLEAN = encode_state(ShardState(0))


class Trapped(GroupPolicies):
    """Policies that fail for one group: a fault of our own, planted."""

    def of(self, group: str, maybe_text: str | None = None) -> GroupPolicy:
        if group == "trap":
            raise RuntimeError(f"planted at {id(self):x}")
        return super().of(group, maybe_text)


def carefully(
    log: list[RawRow], *, policies: GroupPolicies = POLICIES, encoded: bytes = CLEAN
) -> tuple[list[bytes], list[QuarantineRecord], ShardState]:
    make_shard = partial(Shard, policies=policies, partitions=1)
    encoded, shard = order_carefully(encoded, columns(log), make_shard=make_shard)
    outputs = shard.outputs
    assert decode_state(encoded) == shard.state
    return (
        outputs.ordered.values,
        [decode_quarantine(value) for value in outputs.quarantine.values],
        shard.state,
    )


def test_without_poison_the_careful_way_gives_the_same_records() -> None:
    log = rows(*shuffled_conversation(seed=5, groups=3, messages=300))
    ordered, quarantined, state = carefully(log)
    came = come_to([log])
    assert [decode_ordered(value) for value in ordered] == came.ordered
    assert quarantined == came.quarantined
    assert state == came.state


def test_a_record_that_fails_is_quarantined_and_the_rest_goes_on(
    caplog: pytest.LogCaptureFixture,
) -> None:
    good = shuffled_conversation(seed=6, groups=3, messages=200)
    log = [*good[:70], wire("x", 1, group="trap"), *good[70:], wire("x", 2, group="trap")]
    with caplog.at_level(logging.ERROR):
        ordered, quarantined, state = carefully(rows(*log), policies=Trapped(GroupPolicy()))
    poison = [one for one in quarantined if one.reason == "unprocessable"]
    assert [one.origin.offset for one in poison] == [70, len(log) - 1]
    assert [one.captured for one in poison] == [log[70], log[-1]]
    assert "RuntimeError" in poison[0].detail
    assert "planted" not in poison[0].detail, "an error's own text may differ each time"
    assert "planted" in caplog.text
    expected = [one.envelope for one in come_to([rows(*good)]).ordered]
    assert [decode_ordered(value).envelope for value in ordered] == expected
    assert state.captured == len(log)
    assert state.held == come_to([rows(*good)]).state.held


def test_one_bad_entry_of_a_bundle_is_quarantined_alone() -> None:
    entries = [wire("a", seq, group="g") for seq in range(1, 10)]
    entries[6:6] = [wire("x", 1, group="trap")]
    entries[2:2] = [wire("x", 2, group="trap"), wire("x", 3, group="trap")]
    bundle = pack([(n, value) for n, value in enumerate(entries)])
    ordered, quarantined, state = carefully(rows(bundle), policies=Trapped(GroupPolicy()))
    assert len(ordered) == 9
    assert [one.origin.entry for one in quarantined] == [2, 3, 8]
    assert state.captured == 12


def test_an_engine_that_fails_on_a_message_loses_nothing_else(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    receive = Engine.receive

    def failing(self: Engine, message: object, *, now: int) -> object:
        if b"poison" in message.content:  # type: ignore[attr-defined]
            list(receive(self, message, now=now))  # type: ignore[arg-type]
            raise KeyError("planted, after the engine has changed")
        return receive(self, message, now=now)  # type: ignore[arg-type]

    monkeypatch.setattr(Engine, "receive", failing)
    monkeypatch.setattr(Engine, "plain_case", lambda _self: None)
    log = [
        wire("b", 1, ("a", 1)),
        wire("c", 1, ("b", 1), payload=b"poison"),
        wire("a", 1),
        wire("d", 1, ("c", 1)),
    ]
    ordered, quarantined, state = carefully(rows(*log))
    assert [decode_ordered(value).envelope for value in ordered] == [log[2], log[0]]
    assert [one.captured for one in quarantined] == [log[1]]
    assert state.held == 1, "who answers what was quarantined waits for it"


def test_a_damaged_state_is_no_poison_and_stops_the_job() -> None:
    state = come_to([rows(wire("a", 1))]).state
    state.groups["g"] = b"\xc1damaged"
    with pytest.raises(StateError, match="the saved state of group g cannot be read"):
        carefully([RawRow(9, 0, wire("a", 2))], encoded=encode_state(state))


def test_every_hostile_record_that_was_ever_found_has_a_fate() -> None:
    hostile = [data for name in ("shard", "envelope", "bundle", "refusal", "management", "notice")
               for data in read(CORPUS, name)]  # fmt: skip
    log = [value for data in hostile for value in (data, wire("a", 1))]
    came = come_to([rows(*log)])
    assert len(came.ordered) >= 1
    assert came.state.quarantined > len(hostile) // 4
