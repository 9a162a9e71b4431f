"""What an object stamps is what the tables put before its next message, and nothing more."""

from __future__ import annotations

import pytest

from ordering.disciplines.significant_tables import RECEIVE_SEND, RECEIVE_SEND_APART, SEND_SEND
from ordering.stamping.significant import Instance, SignificantObject
from ordering.stamps import MessageType, SignificantStamps
from ordering.values import MemberId, Message, MessageId

ALICE, BOB = MemberId("alice#1"), MemberId("bob#1")
WRITES = frozenset({("write", "write")})
DELTA_US = 1_000
REQUESTS = [kind for kind in MessageType if len(kind.value) == 2]
pairs = pytest.mark.parametrize(
    ("first", "second"), [(one, two) for one in MessageType for two in MessageType]
)


def made(kind: MessageType, sent_at: int) -> Message:
    return Message(
        MessageId(BOB, sent_at), (), b"", SignificantStamps(sent_at, message_type=kind.value)
    )


def object_with_writes() -> SignificantObject:
    return SignificantObject(ALICE, conflicts=WRITES, delta_us=DELTA_US)


def preceding(stamps: SignificantStamps) -> dict[str, int]:
    return dict(zip(stamps.members, stamps.preceding, strict=True))


@pytest.mark.parametrize("second", list(MessageType))
def test_within_an_instance_what_was_sent_comes_before_what_is_sent(second: MessageType) -> None:
    instance = object_with_writes().begin("write", now=0)
    instance.stamp(MessageType.REQUEST_PLAIN, now=10)
    assert instance.stamp(second, now=20).own_preceding == 10


@pairs
def test_within_an_instance_what_was_received_precedes_by_the_table(
    first: MessageType, second: MessageType
) -> None:
    instance = object_with_writes().begin("write", now=0)
    instance.receive(made(first, 10))
    is_first = RECEIVE_SEND[first][second] == "x"
    assert preceding(instance.stamp(second, now=20)) == ({BOB: 10} if is_first else {})


@pytest.mark.parametrize("first", REQUESTS)
@pytest.mark.parametrize("second", [MessageType.RESPONSE_OUTPUT, MessageType.RESPONSE_PLAIN])
def test_a_request_comes_before_its_own_response_where_the_table_says_so(
    first: MessageType, second: MessageType
) -> None:
    instance = object_with_writes().begin("write", now=0, request=made(first, 10))
    is_first = RECEIVE_SEND[first][second] in "xr"
    assert preceding(instance.stamp(second, now=20)) == ({BOB: 10} if is_first else {})


@pairs
def test_across_conflicting_instances_both_tables_hold(
    first: MessageType, second: MessageType
) -> None:
    owner = object_with_writes()
    earlier = owner.begin("write", now=0)
    earlier.receive(made(first, 5))
    earlier.stamp(first, now=10)
    earlier.complete()
    stamps = owner.begin("write", now=20).stamp(second, now=30)
    assert (stamps.own_preceding == 10) == (SEND_SEND[first][second] == "x")
    assert (preceding(stamps) == {BOB: 5}) == (RECEIVE_SEND_APART[first][second] == "x")


def later(owner: SignificantObject, operation: str, now: int) -> SignificantStamps:
    return owner.begin(operation, now=now).stamp(MessageType.REQUEST_INPUT_STATE, now=now)


def wrote(owner: SignificantObject) -> Instance:
    instance = owner.begin("write", now=0, request=made(MessageType.REQUEST_INPUT_STATE, 5))
    instance.stamp(MessageType.REQUEST_INPUT_STATE, now=10)
    return instance


def test_instances_that_do_not_conflict_order_nothing() -> None:
    owner = object_with_writes()
    wrote(owner).complete()
    assert later(owner, "read", 20) == SignificantStamps(
        20, message_type="IS", operation="read", instance=2
    )


def test_instances_that_overlap_order_nothing() -> None:
    owner = object_with_writes()
    instance = wrote(owner)
    assert later(owner, "write", 20).own_preceding == 0
    instance.complete()


def test_what_is_older_than_delta_is_forgotten() -> None:
    owner = object_with_writes()
    wrote(owner).complete()
    assert later(owner, "write", 10 + DELTA_US).own_preceding == 10
    owner = object_with_writes()
    wrote(owner).complete()
    assert later(owner, "write", 11 + DELTA_US).own_preceding == 0


def test_instants_rise_whatever_the_clock_does() -> None:
    instance = object_with_writes().begin("write", now=0)
    stamped = [instance.stamp(MessageType.REQUEST_PLAIN, now=now) for now in (10, 10, 4, 30)]
    assert [stamps.sent_at for stamps in stamped] == [10, 11, 12, 30]
