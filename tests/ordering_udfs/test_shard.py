"""A shard orders what its partition holds, whatever the batches, and accounts for every record."""

from __future__ import annotations

import random

import pytest

from ingest.wire.envelope import decode, encode, tick
from ingest.wire.partition import partition_of
from ordering.policy import GroupPolicy
from ordering_udfs.errors import StateError
from ordering_udfs.shard import RawRow, Shard
from ordering_udfs.shard_state import ShardState, decode_state, encode_state
from sinks.records import OrderedRecord, QuarantineRecord, decode_ordered, decode_quarantine
from tests.conversations import shuffled_conversation
from tests.messages import wire
from tests.oracle import semantic_order

POLICY = GroupPolicy()


def rows(*values: bytes) -> list[RawRow]:
    return [RawRow(offset, 1_000 + offset, value) for offset, value in enumerate(values)]


def run(
    batches: list[list[RawRow]], *, partition: int = 0, partitions: int = 1
) -> tuple[list[OrderedRecord], list[QuarantineRecord], ShardState]:
    """Order batch by batch, through the bytes of the state each time."""
    encoded = encode_state(ShardState(partition))
    ordered: list[OrderedRecord] = []
    quarantined: list[QuarantineRecord] = []
    for batch in batches:
        shard = Shard(decode_state(encoded), policy=POLICY, partitions=partitions)
        shard.receive(batch)
        encoded = encode_state(shard.finish())
        ordered += [decode_ordered(record.value) for record in shard.ordered]
        quarantined += [decode_quarantine(record.value) for record in shard.quarantine]
    return ordered, quarantined, decode_state(encoded)


def cut(log: list[RawRow], sizes: random.Random) -> list[list[RawRow]]:
    batches: list[list[RawRow]] = []
    while log:
        size = sizes.choice([1, 2, 7, 50, 400])
        batches.append(log[:size])
        log = log[size:]
    return batches


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
    _, quarantined, _ = run([rows(encode(tick(7)))])
    assert [record.reason for record in quarantined] == ["unsupported_kind"]


def test_counters_say_what_the_state_says() -> None:
    shard = Shard(ShardState(0), policy=POLICY, partitions=1)
    shard.receive(rows(wire("a", 1), wire("a", 1), wire("b", 1, ("x", 1))))
    shard.finish()
    counters = shard.counters()
    assert counters == (0, 2, 3, 1, 1, 1, 0, 1)


def test_an_empty_batch_changes_nothing() -> None:
    assert run([[]]) == ([], [], ShardState(0))
