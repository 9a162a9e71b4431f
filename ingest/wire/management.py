"""The bodies of group management: what the payload of an envelope of kind GROUP_MANAGEMENT says.

    advertise     I am here: what groups are there?         (group `*`: it concerns all of them)
    groups_info   these groups, with their current and left members
    create        this group exists from now on, and I am in it
    join, leave   I am in this group from now on; I am no longer in it

Who says it and about which group stand in the envelope. Members are named with their incarnation:
of two that tell different things about one name, the one with the higher incarnation is right.
MessagePack, decoded into exactly these types; `decode_management` raises WireError and nothing
else. A list that is too long for one datagram is simply told in several.
"""

from typing import Annotated, Final, TypeAlias

import msgspec

from ingest.wire import bounds
from ingest.wire.errors import WireError, WireReason
from ingest.wire.holdings import check_member
from ingest.wire.names import group_of
from ordering.values import GroupId

EVERY_GROUP: Final = GroupId("*")
"""What stands for the group in an envelope that concerns all groups. No group may be named so."""

DESCRIPTION_LENGTH: Final = 256
"""A line that a person reads before joining."""

ORDER_LENGTH: Final = 32
"""The name of a discipline or of an acceptance level; the longest is `continuously_reliable`."""

GROUPS: Final = 256
"""Groups in one record: with 255 bytes of name each they still fit a datagram."""

MEMBERS: Final = 2_048
"""Current and left members in one record; more go into the next one."""

_Description = Annotated[str, msgspec.Meta(max_length=DESCRIPTION_LENGTH)]
_Order = Annotated[str, msgspec.Meta(max_length=ORDER_LENGTH)]


class Advertise(msgspec.Struct, array_like=True, frozen=True, tag=1):
    """I am here; tell me of your groups."""


class Create(msgspec.Struct, array_like=True, frozen=True, tag=2):
    """This group exists from now on."""

    description: _Description
    discipline: _Order
    acceptance: _Order


class Join(msgspec.Struct, array_like=True, frozen=True, tag=3):
    """I am in this group from now on."""


class Leave(msgspec.Struct, array_like=True, frozen=True, tag=4):
    """I am no longer in this group."""


class GroupInfo(msgspec.Struct, array_like=True, frozen=True):
    """One group, as far as the teller knows it."""

    group: Annotated[str, msgspec.Meta(max_length=bounds.GROUP_BYTES)]
    description: _Description
    discipline: _Order
    acceptance: _Order
    current: tuple[str, ...]
    left: tuple[str, ...]


class GroupsInfo(msgspec.Struct, array_like=True, frozen=True, tag=5):
    """These groups exist."""

    groups: tuple[GroupInfo, ...]


ManagementBody: TypeAlias = Advertise | Create | Join | Leave | GroupsInfo

_DECODER: Final[msgspec.msgpack.Decoder[ManagementBody]] = msgspec.msgpack.Decoder(ManagementBody)
_ENCODER: Final = msgspec.msgpack.Encoder()


def encode_management(body: ManagementBody) -> bytes:
    """Write a body. Raises WireError for one that `decode_management` would refuse."""
    _check(body)
    return _ENCODER.encode(body)


def decode_management(payload: bytes) -> ManagementBody:
    """Read a body. Raises WireError and nothing else, whatever the bytes."""
    try:
        body = _DECODER.decode(payload)
    except Exception as error:  # also RecursionError and UnicodeError: all are bad bytes
        raise WireError(WireReason.BAD_BODY, f"no record of group management: {error}") from None
    _check(body)
    return body


def _check(body: ManagementBody) -> None:
    if not isinstance(body, GroupsInfo):
        return
    if len(body.groups) > GROUPS:
        raise WireError(WireReason.BAD_BODY, f"{len(body.groups)} groups; at most {GROUPS}")
    told = sum(len(info.current) + len(info.left) for info in body.groups)
    if told > MEMBERS:
        raise WireError(WireReason.BAD_BODY, f"{told} members told; at most {MEMBERS}")
    for info in body.groups:
        check_group(info.group)
        for pid in (*info.current, *info.left):
            check_member(pid)


def check_group(name: str) -> GroupId:
    """Give a group id that stands in a body; `*` is no group's name."""
    try:
        group = group_of(name.encode("utf-8"))
    except UnicodeEncodeError:
        raise WireError(WireReason.BAD_BODY, f"the group {name!r} is not UTF-8") from None
    if group == EVERY_GROUP:
        raise WireError(
            WireReason.BAD_BODY, f"{EVERY_GROUP!r} stands for all groups and names none"
        )
    return group
