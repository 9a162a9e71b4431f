from hypothesis import given
from hypothesis import strategies as st

from ingest.spool.dropped import MOST_GROUPS, GroupLoss, count_dropped, gap_notices, read_notice
from ingest.spool.record import Entry, EntryKind
from ingest.wire.envelope import Kind, decode, encode
from ingest.wire.gap_notice import GapNotice
from ingest.wire.refusal import decode_refusal
from tests.ingest.envelopes import plain

NOBODY = GapNotice("nobody", 0, 0, 0)


def _message(sequence: int, key: bytes) -> Entry:
    return Entry(sequence, 1_000 + sequence, key, b"data")


def test_what_is_dropped_is_counted_by_group_with_its_time() -> None:
    dropped = count_dropped([_message(5, b"a"), _message(6, b"b"), _message(7, b"a")])
    assert (dropped.first, dropped.last, dropped.entries, dropped.notices) == (5, 7, 3, 0)
    assert dropped.by_key == {b"a": GroupLoss(2, 1_005, 1_007), b"b": GroupLoss(1, 1_006, 1_006)}
    assert dropped.messages == 3


def test_a_notice_is_a_control_envelope_of_the_group_that_lost() -> None:
    dropped = count_dropped([_message(5, b"a"), _message(6, b"a")])
    ((captured_at, key, data),) = gap_notices(dropped, agent="edge-1")
    envelope = decode(data)
    assert (envelope.kind, envelope.group, envelope.sender) == (Kind.CONTROL, "a", "edge-1#1")
    assert (captured_at, key) == (1_006, b"a")
    assert read_notice(data) == GapNotice("edge-1", 2, 1_005, 1_006)


def test_what_had_no_group_gets_a_refusal_that_says_the_same() -> None:
    ((_, key, data),) = gap_notices(count_dropped([_message(1, b"")]), agent="edge-1")
    assert key == b""
    refusal = decode_refusal(data)
    assert refusal.reason == "capture_gap"
    assert "edge-1 gave up 1 messages" in refusal.detail


@given(st.lists(st.lists(st.sampled_from([b"a", b"b", b"c"]), min_size=1, max_size=8), max_size=6))
def test_however_often_notices_are_dropped_their_sum_is_what_was_lost(
    rounds: list[list[bytes]],
) -> None:
    lost = sequence = 0
    notices: list[Entry] = []
    for keys in rounds:
        messages = [_message(sequence + n + 1, key) for n, key in enumerate(keys)]
        sequence += len(keys)
        lost += len(keys)
        dropped = count_dropped([*notices, *messages])
        assert dropped.entries - dropped.notices == len(keys)
        notices = []
        for captured_at, key, data in gap_notices(dropped, agent="edge"):
            sequence += 1
            notices.append(Entry(sequence, captured_at, key, data, EntryKind.GAP_NOTICE))
    told = [read_notice(notice.data) or NOBODY for notice in notices]
    assert sum(notice.messages for notice in told) == lost


def test_very_many_groups_get_a_bounded_number_of_notices_that_tell_of_all() -> None:
    keys = [b"g%d" % n for n in range(MOST_GROUPS * 2)]
    dropped = count_dropped(_message(n + 1, key) for n, key in enumerate(keys))
    told = [read_notice(data) or NOBODY for _, _, data in gap_notices(dropped, agent="edge")]
    assert len(told) == MOST_GROUPS
    assert told[0].other_groups == MOST_GROUPS
    counted = sum(notice.messages + notice.other_messages for notice in told)
    assert counted == len(keys)


def test_other_bytes_are_no_notice() -> None:
    control = plain()._replace(kind=Kind.CONTROL)
    for data in (
        b"",
        b"{}",
        encode(plain()),
        encode(control),
        encode(control._replace(payload=b"[1]")),
    ):
        assert read_notice(data) is None
