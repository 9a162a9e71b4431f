"""Two agents that hear the same datagrams: everything is in the log twice, and delivered once."""

from contextlib import ExitStack
from pathlib import Path

import pytest

from deploy.local.broker import Broker
from ingest.settings import AgentSettings
from ingest.wire.envelope import encode
from tests.ingest.envelopes import plain
from tests.ingest.loopback import new_group, send_all
from tests.ingest.raw_topics import new_raw_topic, plan_of, records_of, values_in
from tests.ingest.test_agent import running
from tests.ordering_udfs.shards import RawRow, come_to

pytestmark = pytest.mark.broker


def test_two_agents_that_hear_the_same_give_one_delivery(broker: Broker, tmp_path: Path) -> None:
    kafka, raw = new_raw_topic(broker.bootstrap)
    group = new_group()
    settings = AgentSettings(
        groups=(str(group),), drain_within_ms=60_000, broker_away_after_ms=60_000,
        status_address="off",
    )  # fmt: skip
    sent = [
        encode(plain(seq, group=f"group-{number}")) for seq in range(1, 101) for number in range(5)
    ]
    with ExitStack() as stack:
        for name in ("one", "other"):
            stack.enter_context(running(plan_of(settings, tmp_path / name), raw))
        send_all(sent, to=group)
    assert sorted(values_in(kafka)) == sorted(sent * 2)
    delivered: list[bytes] = []
    duplicates = 0
    for partition in range(kafka.partitions):
        rows = [
            RawRow(r.offset, 1 + r.offset, r.value)
            for r in records_of(kafka)
            if r.partition == partition
        ]
        came = come_to([rows], partition=partition, partitions=kafka.partitions)
        delivered += [record.envelope for record in came.ordered]
        duplicates += came.state.duplicates
        assert came.quarantined == []
    assert sorted(delivered) == sorted(sent)
    assert duplicates == len(sent)
