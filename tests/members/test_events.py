from members.events import Delivered, Effects, missing_of
from ordering.values import GroupId, MemberId, MessageId

ALICE = MemberId("alice#1")


def test_a_payload_that_is_no_text_still_shows() -> None:
    event = Delivered(GroupId("dev"), MessageId(ALICE, 1), (), b"h\xffi", 1, 0)
    assert event.text == "h\ufffdi"


def test_effects_begin_empty_and_share_nothing() -> None:
    one, other = Effects(), Effects()
    one.datagrams.append(b"")
    assert other.datagrams == []
    assert other.events == []
    assert other.maybe_sent is None


def test_what_is_missing_is_told_as_a_value() -> None:
    assert missing_of({ALICE: [1, 2]}) == ((ALICE, (1, 2)),)
