"""Membership records are read as they were written, and say in words what members told."""

from __future__ import annotations

import json

import pytest

from ingest.wire.envelope import Envelope, Kind, encode
from ingest.wire.errors import WireError
from ingest.wire.management import (
    Advertise,
    Create,
    GroupInfo,
    GroupsInfo,
    Join,
    Leave,
    ManagementBody,
    encode_management,
)
from ordering.values import GroupId, MemberId
from sinks.errors import RecordError
from sinks.membership import (
    MembershipRecord,
    decode_membership,
    encode_membership,
    membership_row,
)
from sinks.records import Origin
from sinks.tables import MEMBERSHIP


def told(body: ManagementBody, *, group: str = "dev") -> bytes:
    envelope = Envelope(
        Kind.GROUP_MANAGEMENT, GroupId(group), MemberId("ann#2"), 3, payload=encode_management(body)
    )
    return encode(envelope)


def record(envelope: bytes) -> MembershipRecord:
    return MembershipRecord(4, 17, 1, Origin(30, 2, 5_000), envelope)


def test_a_record_comes_back_as_it_was_written() -> None:
    written = record(told(Join()))
    assert decode_membership(encode_membership(written)) == written


def test_other_bytes_are_refused() -> None:
    with pytest.raises(RecordError):
        decode_membership(b"PRCO" + encode_membership(record(told(Join())))[4:])
    with pytest.raises(WireError):
        membership_row(b"", encode_membership(record(b"junk")))


@pytest.mark.parametrize(
    ("body", "kind"), [(Advertise(), "advertise"), (Join(), "join"), (Leave(), "leave")]
)
def test_a_row_says_who_told_what_after_which_position(body: ManagementBody, kind: str) -> None:
    row = membership_row(b"dev", encode_membership(record(told(body))))
    assert row["kind"] == kind
    assert (row["group"], row["sender"], row["seq"]) == ("dev", "ann#2", 3)
    assert row["after_position"] == 17
    assert (row["raw_partition"], row["raw_offset"], row["raw_entry"]) == (1, 30, 2)
    assert set(row) <= {column.name for column in MEMBERSHIP.columns}


def test_a_created_group_is_described_and_a_list_of_groups_is_json() -> None:
    create = Create("the floor", "causal", "full")
    row = membership_row(b"dev", encode_membership(record(told(create))))
    assert (row["description"], row["discipline"], row["acceptance"]) == (
        "the floor",
        "causal",
        "full",
    )
    info = GroupsInfo((GroupInfo("dev", "", "fifo", "", ("ann#2",), ("bob#1",)),))
    row = membership_row(b"*", encode_membership(record(told(info, group="*"))))
    (group,) = json.loads(row["groups"])
    assert (group["group"], group["current"], group["left"]) == ("dev", ["ann#2"], ["bob#1"])


def test_what_only_a_holder_of_the_key_can_read_is_kept_as_sealed() -> None:
    sealed = Envelope(
        Kind.GROUP_MANAGEMENT, GroupId("dev"), MemberId("ann#2"), 3,
        payload=b"?", tag=b"t" * 16, is_sealed=True,
    )  # fmt: skip
    row = membership_row(b"dev", encode_membership(record(encode(sealed))))
    assert row["kind"] == "sealed"
