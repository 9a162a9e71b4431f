import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.wire.errors import WireError, WireReason
from ingest.wire.management import (
    DESCRIPTION_LENGTH,
    EVERY_GROUP,
    GROUPS,
    MEMBERS,
    Advertise,
    Create,
    GroupInfo,
    GroupsInfo,
    Join,
    Leave,
    ManagementBody,
    decode_management,
    encode_management,
)

INFO = GroupInfo("dev", "those who build", "semantic", "causal", ("alice#2",), ("bob#1",))
BODIES: list[ManagementBody] = [
    Advertise(),
    Create("those who build", "semantic", "causal"),
    Join(),
    Leave(),
    GroupsInfo((INFO, INFO)),
]


@pytest.mark.parametrize("body", BODIES)
def test_a_body_comes_back_as_it_was(body: ManagementBody) -> None:
    assert decode_management(encode_management(body)) == body


@given(st.binary(max_size=200))
def test_whatever_the_bytes_nothing_but_a_wire_error_is_raised(raw: bytes) -> None:
    try:
        decode_management(raw)
    except WireError:
        return


@given(st.sampled_from(BODIES), st.integers(0, 200), st.integers(0, 255))
def test_one_changed_byte_is_another_body_or_refused(
    body: ManagementBody, at: int, value: int
) -> None:
    raw = bytearray(encode_management(body))
    raw[at % len(raw)] = value
    try:
        decode_management(bytes(raw))
    except WireError:
        return


@pytest.mark.parametrize(
    "raw", [b"", b"\xc1", b"\x91" * 20_000 + b"\xc0", b"\xdd\xff\xff\xff\xff", b"\x91\x09"]
)
def test_empty_deep_lying_and_unknown_bytes_are_refused(raw: bytes) -> None:
    with pytest.raises(WireError) as caught:
        decode_management(raw)
    assert caught.value.reason is WireReason.BAD_BODY


def named(group: str) -> GroupInfo:
    return GroupInfo(group, "", "semantic", "causal", (), ())


@pytest.mark.parametrize(
    "body",
    [
        GroupsInfo((named("dev"),) * (GROUPS + 1)),
        GroupsInfo((GroupInfo("dev", "", "", "", ("alice#1",) * (MEMBERS + 1), ()),)),
        GroupsInfo((named(EVERY_GROUP),)),
        GroupsInfo((named("\ud800"),)),
        GroupsInfo((named("new\nline"),)),
        GroupsInfo((GroupInfo("dev", "", "", "", ("alice",), ()),)),
    ],
    ids=["many_groups", "many_members", "every_group", "no_text", "control", "no_pid"],
)
def test_what_would_be_refused_is_not_even_written(body: ManagementBody) -> None:
    with pytest.raises(WireError):
        encode_management(body)


def test_a_long_description_is_refused() -> None:
    raw = encode_management(Create("d" * (DESCRIPTION_LENGTH + 1), "semantic", "causal"))
    with pytest.raises(WireError):
        decode_management(raw)
