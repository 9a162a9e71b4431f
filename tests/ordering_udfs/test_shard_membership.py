"""What members tell about groups keeps its place among the messages, and is accounted for."""

from __future__ import annotations

import random

from ingest.wire.bundle import pack
from ingest.wire.envelope import Envelope, Kind, encode
from ingest.wire.management import Advertise, Join, Leave, ManagementBody, encode_management
from ingest.wire.partition import partition_of
from ordering.values import GroupId, MemberId
from tests.conversations import shuffled_conversation
from tests.messages import wire
from tests.ordering_udfs.shards import come_to, cut, rows


def told(body: ManagementBody, *, group: str = "g", sender: str = "z#1", seq: int = 1) -> bytes:
    return encode(
        Envelope(
            Kind.GROUP_MANAGEMENT,
            GroupId(group),
            MemberId(sender),
            seq,
            payload=encode_management(body),
        )
    )


def test_a_record_stands_after_the_deliveries_that_came_before_it() -> None:
    log = [told(Join()), wire("b", 1, ("a", 1)), told(Join(), seq=2), wire("a", 1), told(Leave())]
    came = come_to([rows(*log)])
    assert [(one.ordinal, one.position, one.origin.offset) for one in came.membership] == [
        (1, 0, 0),
        (2, 0, 2),
        (3, 2, 4),
    ]
    assert [one.envelope for one in came.membership] == [log[0], log[2], log[4]]
    assert (came.state.captured, came.state.membership, came.state.delivered) == (5, 3, 2)
    assert came.state.held == 0


def test_any_batches_give_the_same_records() -> None:
    dice = random.Random(3)
    log: list[bytes] = []
    for value in shuffled_conversation(seed=3, groups=3, messages=300):
        log.append(value)
        if dice.random() < 0.1:
            bodies: list[ManagementBody] = [Join(), Leave(), Advertise()]
            body = dice.choice(bodies)
            log.append(told(body, group=f"group-{dice.randrange(3)}", seq=len(log)))
    whole = come_to([rows(*log)])
    assert len(whole.membership) > 10
    for other in range(3):
        again = come_to(cut(rows(*log), random.Random(other)))
        assert (again.membership, again.ordered) == (whole.membership, whole.ordered)
    assert whole.state.membership == len(whole.membership)


def test_a_group_that_is_only_talked_about_costs_no_state() -> None:
    came = come_to([rows(*(told(Join(), group=f"room {n}") for n in range(50)))])
    assert len(came.membership) == 50
    assert not came.state.groups


def test_a_body_that_cannot_be_read_and_a_foreign_partition_are_quarantined() -> None:
    bad = encode(Envelope(Kind.GROUP_MANAGEMENT, GroupId("g"), MemberId("z#1"), 1, payload=b"\xc1"))
    came = come_to([rows(bad)])
    assert [one.reason for one in came.quarantined] == ["bad_body"]
    other = 1 - partition_of(GroupId("g"), 2)
    came = come_to([rows(told(Join()))], partition=other, partitions=2)
    assert [one.reason for one in came.quarantined] == ["wrong_partition"]
    assert not came.membership


def test_a_packed_record_and_a_sealed_one_are_told_too() -> None:
    sealed = Envelope(
        Kind.GROUP_MANAGEMENT, GroupId("g"), MemberId("z#1"), 1,
        payload=b"?", tag=b"t" * 16, is_sealed=True,
    )  # fmt: skip
    bundle = pack([(10, told(Join())), (11, encode(sealed)), (12, wire("a", 1))])
    came = come_to([rows(bundle)])
    assert [(one.origin.entry, one.origin.captured_at) for one in came.membership] == [
        (0, 10),
        (1, 11),
    ]
    assert len(came.ordered) == 1
