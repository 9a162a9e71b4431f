"""Traffic is a conversation of the promised shape, the same for the same seed."""

from __future__ import annotations

from benchmarks.traffic import MESSAGE_BYTES, Traffic
from ingest.wire.envelope import decode
from tests.oracle import semantic_order


def test_every_message_has_its_size_and_can_be_delivered_in_the_end() -> None:
    traffic = Traffic(groups=7, jitter=50)
    log = [*traffic.piece(300), *traffic.piece(300)]
    assert {len(sent.content) for sent in log} == {MESSAGE_BYTES}
    assert all(decode(sent.content).group == sent.group for sent in log)
    order = semantic_order(sent.content for sent in log)
    assert sum(map(len, order.values())) == 600


def test_a_seed_gives_the_same_log_and_some_of_it_is_out_of_order() -> None:
    log = Traffic(groups=2, jitter=50).piece(200)
    assert Traffic(groups=2, jitter=50).piece(200) == log
    assert Traffic(groups=2, jitter=0).piece(200) != log
