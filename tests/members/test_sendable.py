import pytest

from ingest.wire.synchronisation import MESSAGE_BYTES
from members.errors import TooLongError, UnknownMessageError
from members.holdings import Holdings
from members.limits import MemberLimits
from members.sendable import PAYLOAD_BYTES, check_datagram, check_sendable
from ordering.values import GroupId, MemberId, MessageId

DEV = GroupId("dev")
KNOWN = MessageId(MemberId("alice#1"), 1)


def holdings() -> Holdings:
    one = Holdings(MemberLimits())
    one.add(KNOWN)
    return one


def test_what_was_received_can_be_answered_at_some_length() -> None:
    check_sendable(bytes(PAYLOAD_BYTES), (KNOWN,), holdings=holdings(), group=DEV)
    check_datagram(bytes(MESSAGE_BYTES))


def test_what_was_not_received_cannot_be_answered() -> None:
    unknown = MessageId(MemberId("bob#1"), 4)
    with pytest.raises(UnknownMessageError, match="bob#1:4 was not received in dev"):
        check_sendable(b"", (KNOWN, unknown), holdings=holdings(), group=DEV)


def test_what_no_page_could_carry_is_not_sent() -> None:
    with pytest.raises(TooLongError, match="send at most"):
        check_sendable(bytes(PAYLOAD_BYTES + 1), (), holdings=holdings(), group=DEV)
    with pytest.raises(TooLongError, match="with its parents and stamps"):
        check_datagram(bytes(MESSAGE_BYTES + 1))
