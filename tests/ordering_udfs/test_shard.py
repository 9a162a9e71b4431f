"""A shard orders what its partition holds, whatever the batches, and accounts for every record."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from ingest.authentication.mode import Mode
from ingest.wire.bundle import pack
from ingest.wire.envelope import Envelope, Kind, decode, encode, tick
from ingest.wire.gap_notice import GapNotice, encode_notice
from ingest.wire.partition import partition_of
from ingest.wire.refusal import Refusal, encode_refusal
from ordering.disciplines.registry import names
from ordering.policy import GroupPolicy
from ordering.values import GroupId, MemberId
from ordering_udfs.control import write_policy_change
from ordering_udfs.errors import StateError
from ordering_udfs.group_policies import GroupPolicies
from ordering_udfs.shard import Shard
from ordering_udfs.shard_state import ShardState
from ordering_udfs.warm_shards import WarmShards
from sinks.records import (
    Counters,
    MarkBits,
    OrderedRecord,
    Origin,
    QuarantineRecord,
    encode_ordered,
)
from tests.conversations import shuffled_conversation
from tests.ingest.keys import keyring
from tests.messages import wire
from tests.oracle import semantic_order
from tests.ordering_udfs.shards import POLICIES, RawRow, columns, come_to, cut, rows, tick_at


def run(
    batches: list[list[RawRow]], *, partition: int = 0, partitions: int = 1
) -> tuple[list[OrderedRecord], list[QuarantineRecord], ShardState]:
    came = come_to(batches, partition=partition, partitions=partitions)
    return came.ordered, came.quarantined, came.state


@pytest.mark.parametrize("seed", range(5))
def test_any_batches_give_the_same_records_byte_for_byte(seed: int) -> None:
    log = rows(*shuffled_conversation(seed=seed, groups=3, messages=600))
    whole = run([log])
    for other in range(3):
        assert run(cut(log, random.Random(other))) == whole
    for group, sequence in semantic_order(row.value for row in log).items():
        of_group = [r for r in whole[0] if decode(r.envelope).group == group]
        assert [record.envelope for record in of_group] == sequence
        assert [record.position for record in of_group] == list(range(1, len(sequence) + 1))


@pytest.mark.parametrize("most", [0, 3])
def test_groups_that_are_put_down_within_a_batch_change_nothing(
    monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    values = shuffled_conversation(seed=17, groups=12, messages=600)
    log = rows(*values[:300], tick_at(1), *values[300:], tick_at(2))
    whole = come_to([log])
    monkeypatch.setattr("ordering_udfs.shard.MOST_TOUCHED", most)
    monkeypatch.setattr("ordering_udfs.stretch.ENOUGH_MESSAGES", 16)
    put_down = come_to([log])
    for one in (whole, put_down):
        one.state.groups.clear()  # a snapshot may say the same in two ways
    assert put_down == whole


def test_records_carry_where_they_were_captured_and_count_up() -> None:
    ordered, quarantined, state = run([rows(wire("b", 1, ("a", 1)), b"junk", wire("a", 1))])
    assert [(r.ordinal, r.position, r.origin) for r in ordered] == [
        (1, 1, (2, 0, 1_002)),
        (2, 2, (0, 0, 1_000)),
    ]
    assert [(r.ordinal, r.origin.offset, r.reason) for r in quarantined] == [(1, 1, "too_short")]
    assert (state.captured, state.delivered, state.quarantined, state.held) == (3, 2, 1, 0)
    assert state.through_offset == 2


def test_every_record_has_exactly_one_fate() -> None:
    log = shuffled_conversation(seed=3, groups=4, messages=500)
    log = [value for number, value in enumerate(log) if number % 17]
    state = run([rows(*log)])[2]
    assert state.captured == len(log)
    assert state.held > 0
    assert state.duplicates > 0
    assert state.captured == (state.delivered + state.held + state.duplicates + state.quarantined)


def packed(values: list[bytes], sizes: random.Random) -> list[RawRow]:
    """The same datagrams in bundles of any size, with plain records among them."""
    records: list[RawRow] = []
    while values:
        size = sizes.choice([1, 1, 2, 5, 100])
        entries = [(9_000 + number, value) for number, value in enumerate(values[:size])]
        value = pack(entries) if size > 1 else values[0]
        records.append(RawRow(len(records), 1_000 + len(records), value))
        values = values[size:]
    return records


@pytest.mark.parametrize("seed", range(3))
def test_packed_and_plain_records_of_the_same_datagrams_give_the_same_sequence(seed: int) -> None:
    values = shuffled_conversation(seed=seed, groups=3, messages=400)
    plain = run([rows(*values)])
    log = packed(values, random.Random(seed))
    bundled = run([log])
    assert run(cut(log, random.Random(seed))) == bundled
    assert [r.envelope for r in bundled[0]] == [r.envelope for r in plain[0]]
    assert [r.captured for r in bundled[1]] == [r.captured for r in plain[1]]
    assert bundled[2].captured == plain[2].captured == len(values)


def test_a_record_of_a_bundle_says_which_entry_it_was_and_when_it_was_captured() -> None:
    bundle = pack([(70, wire("b", 1, ("a", 1))), (71, b"junk"), (72, wire("a", 1))])
    ordered, quarantined, state = run([rows(b"", bundle)])
    assert [r.origin for r in ordered] == [(1, 2, 72), (1, 0, 70)]
    assert [(r.origin, r.captured) for r in quarantined] == [
        ((0, 0, 1_000), b""),
        ((1, 1, 71), b"junk"),
    ]
    assert state.captured == 4


def test_a_bundle_that_cannot_be_cut_is_quarantined_whole() -> None:
    damaged = pack([(70, wire("a", 1)), (71, wire("a", 2))])[:-1]
    ordered, quarantined, state = run([rows(damaged, wire("a", 1))])
    assert [r.envelope for r in ordered] == [wire("a", 1)]
    assert [(r.origin, r.reason, r.captured) for r in quarantined] == [
        ((0, 0, 1_000), "length_mismatch", damaged)
    ]
    assert state.captured == 2


def test_rows_out_of_offset_order_are_sorted_first() -> None:
    log = rows(wire("a", 1), wire("b", 1, ("a", 1)), wire("c", 1))
    assert run([log[::-1]]) == run([log])


def test_the_same_offsets_again_are_refused() -> None:
    log = rows(wire("a", 1))
    with pytest.raises(StateError, match="gives offset 0 again after 0"):
        run([log, log])


def test_an_equivocation_is_quarantined_and_the_first_message_stands() -> None:
    forged = wire("a", 1, payload=b"forged")
    ordered, quarantined, _ = run([rows(wire("a", 1), forged)])
    assert [record.envelope for record in ordered] == [wire("a", 1)]
    assert [(r.reason, r.captured) for r in quarantined] == [("equivocation", forged)]


def test_a_message_that_answers_itself_is_quarantined() -> None:
    _, quarantined, _ = run([rows(wire("a", 1, ("a", 1)))])
    assert [record.reason for record in quarantined] == ["self_parent"]


def test_a_cycle_is_quarantined_and_all_of_it_is_accounted_for() -> None:
    log = rows(wire("a", 1, ("c", 1)), wire("b", 1, ("a", 1)), wire("c", 1, ("b", 1)))
    ordered, quarantined, state = run([log])
    assert not ordered
    assert {record.reason for record in quarantined} == {"cycle"}
    assert state.held + state.quarantined == 3


def test_a_group_in_the_wrong_partition_is_quarantined() -> None:
    right = partition_of(decode(wire("a", 1)).group, 2)
    _, quarantined, _ = run([rows(wire("a", 1))], partition=1 - right, partitions=2)
    assert [record.reason for record in quarantined] == ["wrong_partition"]


def test_a_record_of_another_kind_is_quarantined() -> None:
    envelope = decode(wire("a", 1))._replace(kind=Kind.SYNCHRONISATION)
    _, quarantined, _ = run([rows(encode(envelope))])
    assert [record.reason for record in quarantined] == ["unsupported_kind"]


def test_a_tick_is_no_message_and_one_in_a_bundle_is_not_believed() -> None:
    ordered, quarantined, state = run([rows(encode(tick(7_000)), pack([(5, encode(tick(9_000)))]))])
    assert not ordered
    assert [record.reason for record in quarantined] == ["foreign_tick"]
    assert (state.captured, state.now, state.tick_offset) == (1, 7_000, 0)


@pytest.mark.parametrize("mode", [Mode.MAC, Mode.AEAD])
def test_a_tagged_or_sealed_message_is_ordered_as_it_is(tmp_path: Path, mode: Mode) -> None:
    ring = keyring(tmp_path)
    child, root = (
        ring.protect(decode(wire(*sent)), mode=mode) for sent in (("b", 1, ("a", 1)), ("a", 1))
    )
    ordered, quarantined, _ = run([rows(child, root, child)])
    assert [record.envelope for record in ordered] == [root, child]
    assert not quarantined


def test_what_an_agent_refused_is_quarantined_with_its_reason_and_never_ordered() -> None:
    refusal = Refusal("forged", "10.0.0.7:40001", "the tag is wrong", wire("a", 1))
    value = encode_refusal(refusal)
    ordered, quarantined, _ = run([rows(value, pack([(7, value), (8, value[:20])]))])
    assert not ordered
    assert [(r.reason, r.detail, r.captured) for r in quarantined] == [
        ("forged", "from 10.0.0.7:40001: the tag is wrong", value),
        ("forged", "from 10.0.0.7:40001: the tag is wrong", value),
        ("length_mismatch", "20 bytes; its texts alone take 48", value[:20]),
    ]


def control(group: str, payload: bytes) -> bytes:
    envelope = Envelope(Kind.CONTROL, GroupId(group), MemberId("operator#1"), 1, payload=payload)
    return encode(envelope)


@pytest.mark.parametrize("discipline", names())
def test_any_batches_give_the_same_records_in_every_discipline(discipline: str) -> None:
    values = shuffled_conversation(seed=11, groups=3, messages=300)
    values.insert(150, tick_at(1))
    values.insert(200, control("group-1", write_policy_change("semantic+fifo")))
    values.insert(250, control("group-1", write_policy_change("fifo,release,1000")))
    values += [tick_at(second) for second in range(2, 12)]
    log = rows(*values)
    policies = GroupPolicies(GroupPolicy(discipline=discipline))
    whole = come_to([log], policies=policies)
    for other in range(3):
        warm = WarmShards() if other else None
        came = come_to(cut(log, random.Random(other)), policies=policies, maybe_warm=warm)
        assert came[:3] == whole[:3]
        assert sorted(came.gaps) == sorted(whole.gaps)
    state = whole.state
    assert state.captured == len(values) - 13
    assert state.captured == state.delivered + state.held + state.duplicates + state.quarantined


def test_a_control_record_changes_a_policy_from_its_place_in_the_log_on() -> None:
    held, first = wire("a", 2), wire("a", 1)
    orphan = wire("b", 1, ("x", 1))
    change = control("g", write_policy_change("fifo"))
    came = come_to([rows(held, orphan), [RawRow(2, 0, change), RawRow(3, 0, wire("a", 4))]])
    assert [record.envelope for record in came.ordered] == [held, orphan]
    assert came.state.policies == {"g": "fifo"}
    assert (came.state.captured, came.state.held) == (3, 1)
    assert [r.envelope for r in come_to([rows(change, held, first)]).ordered] == [first, held]


def test_a_bad_or_packed_change_of_policy_changes_nothing() -> None:
    unknown = control("g", write_policy_change("fifa"))
    packed_change = pack([(1, control("g", write_policy_change("fifo")))])
    _, quarantined, state = run([rows(unknown, packed_change)])
    assert [record.reason for record in quarantined] == ["bad_control", "bad_control"]
    assert (state.policies, state.captured) == ({}, 2)


def test_counters_say_what_the_state_says() -> None:
    shard = Shard(ShardState(0), policies=POLICIES, partitions=1)
    shard.receive(columns(rows(wire("a", 1), wire("a", 1), wire("b", 1, ("x", 1)))))
    shard.finish()
    counters = shard.counters()
    assert counters == Counters(0, 2, captured=3, delivered=1, held=1, duplicates=1, groups=1)


def test_an_empty_batch_changes_nothing() -> None:
    assert run([[]]) == ([], [], ShardState(0))


def test_an_agents_gap_notice_is_quarantined_as_what_it_is_under_its_group() -> None:
    notice = GapNotice("edge-1", 812, 1_000, 2_000)
    lost = encode_notice(notice, group=GroupId("g"), seq=5)
    other = encode(decode(lost)._replace(payload=b"{}"))
    for log in (rows(lost, other), rows(pack([(1, lost), (2, other)]))):
        quarantined = run([log])[1]
        assert [record.reason for record in quarantined] == ["capture_gap", "bad_control"]
        assert "edge-1 gave up 812 messages" in quarantined[0].detail


def envelopes(*log: bytes) -> list[bytes]:
    return [record.envelope for record in run([rows(*log)])[0]]


def test_what_a_message_frees_follows_it_before_later_messages_of_other_groups() -> None:
    b2, a1 = wire("b", 2, ("a", 1), group="g"), wire("a", 1, group="g")
    x1, x2 = wire("x", 1, group="h"), wire("x", 2, group="h")
    assert envelopes(b2, x1, a1, x2) == [x1, a1, b2, x2]


def test_a_duplicate_and_a_held_message_leave_nothing_and_shift_nothing() -> None:
    a1, x1 = wire("a", 1, group="g"), wire("x", 1, group="h")
    orphan, a2 = wire("b", 1, ("z", 9), group="g"), wire("a", 2, group="g")
    assert envelopes(a1, a1, orphan, x1, a2) == [a1, x1, a2]


def test_refusals_are_numbered_among_what_engines_refuse() -> None:
    itself = wire("a", 1, ("a", 1))
    found = run([rows(b"junk 1", itself, b"junk 2")])[1]
    assert [(one.ordinal, one.captured) for one in found] == [
        (1, b"junk 1"),
        (2, itself),
        (3, b"junk 2"),
    ]


def test_a_message_on_the_short_way_has_the_record_that_the_careful_way_writes() -> None:
    log = rows(*(wire("a", seq) for seq in range(1, 8)))
    shard = Shard(ShardState(0), policies=POLICIES, partitions=1)
    shard.receive(columns(log))
    expected = [
        encode_ordered(OrderedRecord(at, at, 0, Origin(*row[:1], 0, row[1]), MarkBits.NONE, row[2]))
        for at, row in enumerate(log, start=1)
    ]
    assert shard.outputs.ordered.values == expected
    assert set(shard.outputs.ordered.keys) == {decode(log[0].value).group.encode()}
