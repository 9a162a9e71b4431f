"""Whether a program's message can be sent: checked before anything is counted or stamped."""

from ingest.wire.synchronisation import MESSAGE_BYTES
from members.errors import TooLongError, UnknownMessageError
from members.holdings import Holdings
from ordering.values import GroupId, MessageId

PAYLOAD_BYTES = MESSAGE_BYTES // 2
"""What a program may send at once: the other half is room for names, parents and stamps."""


def check_sendable(
    payload: bytes, parents: tuple[MessageId, ...], *, holdings: Holdings, group: GroupId
) -> None:
    """Raise UnknownMessageError or TooLongError for a message that must not be sent."""
    for parent in parents:
        if not holdings.contains(parent):
            raise UnknownMessageError(
                f"{parent.sender}:{parent.seq} was not received in {group};"
                " answer a message that was delivered here"
            )
    if len(payload) > PAYLOAD_BYTES:
        raise TooLongError(
            f"the message has {len(payload)} bytes; send at most {PAYLOAD_BYTES} at once"
        )


def check_datagram(datagram: bytes) -> None:
    """Raise TooLongError for a message that would not fit into a page of an answer."""
    if len(datagram) > MESSAGE_BYTES:
        raise TooLongError(
            f"the message takes {len(datagram)} bytes with its parents and stamps;"
            f" at most {MESSAGE_BYTES}"
        )
