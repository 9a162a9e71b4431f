"""Laws of stretches: group by group, a log comes to what it comes to message by message."""

from __future__ import annotations

import random

import pytest

from ingest.wire.message_decoder import MessageDecoder
from ingest.wire.partition import partition_of
from ordering.policy import GiveUp, GroupPolicy
from ordering.values import GroupId
from ordering_udfs.group_policies import GroupPolicies
from ordering_udfs.outputs import Records
from ordering_udfs.raw_rows import open_bundles
from ordering_udfs.shard import Shard
from ordering_udfs.shard_state import ShardState, encode_state
from ordering_udfs.stretch import stretches
from tests.messages import wire
from tests.ordering_udfs.shards import POLICIES, RawRow, columns, rows, tick_at

PARTITIONS = 2
NAMES = [GroupId(f"group-{number}") for number in range(8)]
OWN = [name for name in NAMES if partition_of(name, PARTITIONS) == 0]
FOREIGN = [name for name in NAMES if partition_of(name, PARTITIONS) == 1]

Written = tuple[dict[str, tuple[list[bytes], list[bytes]]], bytes]


def lively_log(seed: int) -> list[RawRow]:
    """Messages of some groups, some out of order, again, changed, from elsewhere; junk; ticks."""
    dice = random.Random(seed)
    spoken: dict[str, int] = {}
    log: list[bytes] = []
    for number in range(400):
        group = dice.choice(OWN)
        sender = dice.choice("abc")
        seq = spoken[group + sender] = spoken.get(group + sender, 0) + 1
        parent = (dice.choice("abc"), dice.randint(1, max(1, seq)))
        parents = [parent, ("a", 1)][: dice.choice([0, 1, 1, 1, 1, 1, 2])]
        message = wire(sender, seq, *parents, group=group)
        log.append(message)
        odd = dice.random()
        if odd < 0.05:
            log.append(message)
        elif odd < 0.08:
            log.append(wire(sender, seq, *parents, group=group, payload=b"another"))
        elif odd < 0.1:
            log.append(b"junk")
        elif odd < 0.12:
            log.append(wire(sender, seq, group=dice.choice(FOREIGN)))
        elif odd < 0.14:
            log.append(tick_at(1 + number / 40))
    for at in range(0, len(log) - 12, 12):
        piece = log[at : at + 12]
        dice.shuffle(piece)
        log[at : at + 12] = piece
    return rows(*log)


def taken(log: list[RawRow], policies: GroupPolicies, *, one_by_one: bool) -> Written:
    """Every record of every topic, and the state; a poisoned batch takes no stretches."""
    shard = Shard(ShardState(0), policies=policies, partitions=PARTITIONS, engines={})
    shard.receive(columns(log), poisoned={} if one_by_one else None)
    written = {
        name: (list(one.keys), list(one.values))
        for name, one in vars(shard.outputs).items()
        if isinstance(one, Records)
    }
    return written, encode_state(shard.finish())


@pytest.mark.parametrize("give_up", list(GiveUp))
@pytest.mark.parametrize("seed", range(12))
def test_stretches_come_to_what_one_message_after_the_other_comes_to(
    seed: int, give_up: GiveUp
) -> None:
    policies = GroupPolicies(GroupPolicy(give_up=give_up, after_us=2_000_000))
    log = lively_log(seed)
    together = taken(log, policies, one_by_one=False)
    assert together == taken(log, policies, one_by_one=True)
    assert len(together[0]["ordered"][0]) > 50
    assert together[0]["quarantine"][0], "something of the log was refused"


def test_a_stretch_ends_at_whatever_is_no_plain_message_and_begins_again_behind_it() -> None:
    decoder = MessageDecoder()
    decoder.decode(wire("a", 1), (0, 0, 0))  # so that it knows the shape
    log = [wire("a", 1), wire("a", 2), b"junk", wire("a", 3)]
    entries = open_bundles(columns(rows(*log)))
    found = [(one.begin, len(one.groups), behind) for one, behind in stretches(entries, decoder)]
    assert found == [(0, 2, 2), (3, 1, None)]
    empty = open_bundles(columns(rows(*log[:1])))._replace(contents=[])
    assert list(stretches(empty, decoder)) == []


def test_a_shape_that_is_learned_on_the_way_is_known_to_the_next_message() -> None:
    shard = Shard(ShardState(0), policies=POLICIES, partitions=1, engines={})
    shard.receive(columns(rows(*(wire("a", seq) for seq in range(1, 4)))))
    assert shard.state.delivered == 3


def test_a_long_log_is_cut_into_stretches_and_comes_to_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    log = lively_log(1)
    whole = taken(log, POLICIES, one_by_one=False)
    monkeypatch.setattr("ordering_udfs.stretch.ENOUGH_MESSAGES", 7)
    assert taken(log, POLICIES, one_by_one=False) == whole
    monkeypatch.setattr("ordering_udfs.stretch.ENOUGH_PER_GROUP", 1)
    assert taken(log, POLICIES, one_by_one=False) == whole


def test_a_stretch_of_many_groups_goes_on_until_each_has_enough_or_there_are_too_many(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("ordering_udfs.stretch.ENOUGH_MESSAGES", 4)
    monkeypatch.setattr("ordering_udfs.stretch.ENOUGH_PER_GROUP", 3)
    decoder = MessageDecoder()
    decoder.decode(wire("a", 1), (0, 0, 0))

    def lengths(groups: str) -> list[int]:
        log = [wire("a", seq, group=group) for seq, group in enumerate(groups, 1)]
        entries = open_bundles(columns(rows(*log)))
        return [len(stretch.groups) for stretch, _ in stretches(entries, decoder)]

    assert lengths("gggggg") == [4, 2]
    assert lengths("ghghghg") == [6, 1]
    monkeypatch.setattr("ordering_udfs.stretch.MOST_GROUPS", 2)
    assert lengths("ghghghg") == [4, 3]
