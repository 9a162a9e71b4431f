"""What a person writes goes out as a real message of a member."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from console.errors import OperatorError
from console.web.live_group import Coordinates
from console.web.model import Model
from console.web.writing import MOST_CHARACTERS, Writing
from deploy.local.ports import free_ports
from ingest.wire.envelope import Kind, decode
from ingest.wire.multicast import GroupAddress, Receiver, open_receiver
from members.multicast_transport import MulticastTransport
from members.post import Post
from ordering.policy import GroupPolicy
from sinks.records import MarkBits, OrderedRecord, Origin
from tests.messages import wire

QUESTION = wire("alice", 1, group="dev", payload=b"who has the key?")
ANSWER = wire("bob", 1, ("alice", 1), group="dev", payload=b"I do")


def model() -> Model:
    model = Model()
    for number, envelope in enumerate((QUESTION, ANSWER), start=1):
        origin = Origin(number, 0, number)
        model.deliver(OrderedRecord(number, number, 0, origin, MarkBits.NONE, envelope))
    return model


def read_raw(wanted: Sequence[Coordinates]) -> dict[Coordinates, bytes]:
    raw = {(0, 1, 0): QUESTION, (0, 2, 0): ANSWER}
    return {one: raw[one] for one in wanted}


def writing(group: GroupAddress, *, discipline: str = "semantic") -> Writing:
    return Writing(
        model(),
        name="page",
        open_transport=lambda: MulticastTransport(group),
        post=Post(),
        policy_of=lambda _: GroupPolicy(discipline=discipline),
        read_raw=read_raw,
    )


def heard(receiver: Receiver) -> list[bytes]:
    receiver.socket.setblocking(False)
    found = []
    try:
        while True:
            found.append(receiver.socket.recv(65_536))
    except BlockingIOError:
        return found


def test_an_answer_goes_over_multicast_under_the_members_name_and_names_what_it_answers() -> None:
    group = GroupAddress("239.255.80.90", free_ports(1)[0])
    receiver = open_receiver(group, interface="127.0.0.1", buffer_bytes=1 << 20, wait_at_most_s=1)

    async def write() -> list[str]:
        one = writing(group)
        ids = [
            await one.answer("dev", "thanks <b>", "bob#1:1"),
            await one.answer("dev", "and now?", None),
        ]
        one.close()
        return ids

    ids = asyncio.run(write())
    envelopes = [decode(datagram) for datagram in heard(receiver)]
    receiver.socket.close()
    messages = [one for one in envelopes if one.kind is Kind.MESSAGE]
    assert [f"{one.sender}:{one.seq}" for one in messages] == ids
    assert [one.payload for one in messages] == [b"thanks <b>", b"and now?"]
    assert [tuple(messages[0].parents[0]), messages[1].parents] == [("bob#1", 1), ()]
    assert ids[0].startswith("page#")


@pytest.mark.parametrize(
    ("text", "answered", "discipline", "sentence"),
    [
        ("  ", None, "semantic", "nothing to send"),
        ("x" * (MOST_CHARACTERS + 1), None, "semantic", "at most"),
        ("hi", "zoe#1:1", "semantic", "no delivered message"),
        ("hi", None, "objects", "only programs can write"),
    ],
)
def test_what_cannot_be_sent_is_refused_with_a_sentence_and_opens_no_socket(
    text: str, answered: str | None, discipline: str, sentence: str
) -> None:
    one = writing(GroupAddress("239.255.80.90", 1), discipline=discipline)
    with pytest.raises(OperatorError, match=sentence):
        asyncio.run(one.answer("dev", text, answered))
    one.close()
