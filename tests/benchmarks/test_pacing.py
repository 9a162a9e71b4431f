"""What the paced sender says is in order and complete."""

from __future__ import annotations

from benchmarks.pacing import Voice
from benchmarks.traffic import MESSAGE_BYTES
from ingest.wire.envelope import decode
from ordering.values import GroupId, MemberId, MessageId


def test_a_voice_counts_up_and_answers_itself() -> None:
    group, member = GroupId("g"), MemberId("ann#1")
    voice = Voice(group, member, partition=0)
    assert decode(voice.first(group, member)).seq == 1
    for seq in (2, 3, 4):
        content = voice.next(1_000 + seq)
        envelope = decode(content)
        assert (envelope.seq, envelope.sent_at) == (seq, 1_000 + seq)
        assert envelope.parents == (MessageId(member, seq - 1),)
        assert len(content) == MESSAGE_BYTES
