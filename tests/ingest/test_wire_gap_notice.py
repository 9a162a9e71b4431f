import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.wire.envelope import Kind, decode
from ingest.wire.errors import WireError
from ingest.wire.gap_notice import CAPTURE_GAP, GapNotice, decode_notice, encode_notice
from ordering.values import GroupId
from tests.ingest.envelopes import plain

NOTICE = GapNotice("edge-1", 812, 1_000, 2_000)
CONTROL = plain()._replace(kind=Kind.CONTROL)


@given(st.lists(st.integers(0, 2**63 - 1), min_size=5, max_size=5))
def test_a_notice_is_read_as_it_was_written(numbers: list[int]) -> None:
    notice = GapNotice("edge-1", *numbers)
    envelope = decode(encode_notice(notice, group=GroupId("dev"), seq=7))
    assert (envelope.kind, envelope.group, envelope.sender) == (Kind.CONTROL, "dev", "edge-1#1")
    assert decode_notice(envelope) == notice


def test_a_person_reads_who_lost_how_much() -> None:
    assert str(NOTICE) == ("the agent edge-1 gave up 812 messages, captured from 1000 to 2000")
    told = str(NOTICE._replace(other_groups=3, other_messages=9))
    assert told.endswith(", and 9 of 3 other groups")


@given(st.binary(max_size=100) | st.just(b"[" * 100_000))
def test_no_payload_makes_reading_raise_anything_else(payload: bytes) -> None:
    with pytest.raises(WireError):
        decode_notice(CONTROL._replace(payload=payload))


@pytest.mark.parametrize(
    "changed",
    [{"notice": "other"}, {"agent": 1}, {"messages": -1}, {"messages": True}, {"messages": 2**63}],
)
def test_a_notice_with_a_wrong_field_is_none(changed: dict[str, Any]) -> None:
    fields = {"notice": CAPTURE_GAP, **NOTICE._asdict(), **changed}
    with pytest.raises(WireError):
        decode_notice(CONTROL._replace(payload=json.dumps(fields).encode()))


def test_another_kind_of_envelope_is_none() -> None:
    payload = decode(encode_notice(NOTICE, group=GroupId("dev"), seq=1)).payload
    with pytest.raises(WireError):
        decode_notice(plain()._replace(payload=payload))
