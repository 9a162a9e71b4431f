"""The views say what the engines know, for any log, discipline and give-up rule.

The views' own SQL, run by an engine that is not Spark: the rows of the tables are those that a
shard's records come to, the truth is asked of the shard's engines.
"""

from __future__ import annotations

import random
from typing import Any

import duckdb
import pyarrow as pa
import pytest

from ordering.engine import Engine
from ordering.policy import GiveUp, GroupPolicy
from ordering_udfs.group_policies import GroupPolicies
from ordering_udfs.shard_state import decode_snapshot
from sinks.decoding import PROBLEM, arrow_schema, delivery_row, wait_row
from sinks.identity import id_text
from sinks.membership import encode_membership, membership_row
from sinks.records import encode_ordered
from sinks.tables import DELIVERIES, MEMBERSHIP, WAITS, Table
from sinks.views import VIEWS
from sinks.waits import encode_wait, sought
from tests.conversations import shuffled_conversation
from tests.ordering_udfs.shards import SECOND_US, Came, come_to, rows, tick_at


def log_of(seed: int) -> list[bytes]:
    """A conversation with losses and ticks; the last record is a tick."""
    dice = random.Random(seed)
    log: list[bytes] = []
    seconds = 1.0
    for value in shuffled_conversation(seed=seed, groups=3, messages=300):
        if dice.random() < 0.04:
            continue
        log.append(value)
        if dice.random() < 0.05:
            seconds += dice.choice([0.5, 1, 2])
            log.append(tick_at(seconds))
    return [*log, tick_at(seconds + 1)]


def table(definition: Table, found: list[dict[str, Any]]) -> pa.Table:
    return pa.Table.from_pylist(found, schema=arrow_schema(definition)).drop_columns([PROBLEM])


def database(came: Came, groups_by_offset: dict[int, str]) -> duckdb.DuckDBPyConnection:
    waits = [
        wait_row(groups_by_offset[one.origin.offset].encode(), encode_wait(one))
        for one in came.waits
    ]
    deliveries = [delivery_row(b"", encode_ordered(one)) for one in came.ordered]
    membership = [membership_row(b"", encode_membership(one)) for one in came.membership]
    connection = duckdb.connect()
    connection.register("waits", table(WAITS, waits))
    connection.register("deliveries", table(DELIVERIES, deliveries))
    connection.register("membership", table(MEMBERSHIP, membership))
    for view in VIEWS:
        text = view.sql.replace("`", '"')
        connection.execute(f'CREATE VIEW "{view.name}" AS {text}')
    return connection


@pytest.mark.parametrize("how", list(GiveUp))
@pytest.mark.parametrize("discipline", ["semantic", "fifo", "semantic+fifo", "none"])
def test_pending_gaps_and_groups_are_what_the_engines_know(discipline: str, how: GiveUp) -> None:
    from ingest.wire.envelope import decode
    from ingest.wire.errors import WireError

    policy = GroupPolicy(discipline, give_up=how, after_us=4 * SECOND_US)
    for seed in range(3):
        log = log_of(seed)
        groups_by_offset: dict[int, str] = {}
        for offset, value in enumerate(log):
            try:
                groups_by_offset[offset] = decode(value).group
            except WireError:
                continue
        came = come_to([rows(*log)], policies=GroupPolicies(policy))
        connection = database(came, groups_by_offset)
        held: set[tuple[str, ...]] = set()
        missing: dict[tuple[str, ...], int] = {}
        for group, saved in came.state.groups.items():
            engine = Engine.restore(policy, decode_snapshot(saved))
            ids = {message.id for message, _ in engine.holding()}
            for message, requirement in engine.holding():
                what = sought(requirement)
                held.add((group, id_text(message.id), what.waiting_for, what.measure))
                if (requirement.sender, requirement.seq) not in ids:
                    key = (group, what.waiting_for, what.measure)
                    missing[key] = missing.get(key, 0) + 1
        pending = connection.execute('SELECT "group", id, waiting_for, measure FROM pending')
        assert sorted(pending.fetchall()) == sorted(held)
        same = connection.execute(
            'SELECT "group", waiting_for, max(waiting_for_the_same), count(*) FROM pending '
            'GROUP BY "group", waiting_for, measure'
        ).fetchall()
        assert all(told == counted for _, _, told, counted in same)
        gaps = connection.execute('SELECT "group", missing, measure, waiting FROM gaps').fetchall()
        assert {tuple(key): waiting for *key, waiting in gaps} == missing
        totals = connection.execute("SELECT sum(delivered), sum(held) FROM groups").fetchone()
        assert totals == (came.state.delivered, came.state.held)
        counted = connection.execute("SELECT sum(answers) FROM threads").fetchone()
        answers = sum(bool(decode(one.envelope).parents) for one in came.ordered)
        if how is GiveUp.HOLD and discipline in ("semantic", "semantic+fifo"):
            assert counted == (answers,)
        connection.close()


def test_a_held_message_is_told_at_the_first_tick_after_it() -> None:
    log = log_of(7)
    came = come_to([rows(*log)], policies=GroupPolicies(GroupPolicy()))
    ticks = [offset for offset, value in enumerate(log) if value[5] == 2 and value[:4] == b"PRCD"]
    told = {one.origin.offset for one in came.waits}
    for cut in ticks:
        before = come_to([rows(*log[: cut + 1])], policies=GroupPolicies(GroupPolicy()))
        for saved in before.state.groups.values():
            for message, _ in Engine.restore(GroupPolicy(), decode_snapshot(saved)).holding():
                assert message.origin[0] in told
