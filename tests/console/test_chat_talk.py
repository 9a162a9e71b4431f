"""Laws of a conversation: answers below what they answer, and a status line that is true."""

from __future__ import annotations

from console.chat.talk import MOST_LEVELS, MOST_SPOKEN, Talk
from members.delivering import HeldMessage
from members.events import Delivered
from ordering.events import Mark
from ordering.values import GroupId, MemberId, MessageId


def message_id(seq: int) -> MessageId:
    return MessageId(MemberId("bob#1"), seq)


def delivered(seq: int, *parents: int) -> Delivered:
    ids = tuple(message_id(parent) for parent in parents)
    return Delivered(GroupId("dev"), message_id(seq), ids, b"word", seq, 0)


def test_an_answer_is_one_level_below_the_first_message_it_answers_that_is_here() -> None:
    talk = Talk("dev")
    assert talk.deliver(delivered(1)).depth == 0
    answer = talk.deliver(delivered(2, 99, 1))
    assert (answer.depth, answer.maybe_parent) == (1, message_id(1))
    assert talk.deliver(delivered(3, 98)).depth == 0, "a newcomer lacks the beginning"


def test_answers_that_are_too_deep_stand_at_the_last_level() -> None:
    talk = Talk("dev")
    talk.deliver(delivered(1))
    for seq in range(2, 60):
        spoken = talk.deliver(delivered(seq, seq - 1))
        maybe_place = talk.place_of(spoken)
        assert maybe_place is not None
        assert talk.spoken[maybe_place].depth == min(seq - 2, MOST_LEVELS - 1)


def test_a_late_message_is_marked() -> None:
    event = delivered(1)._replace(marks=frozenset({Mark.LATE}))
    assert Talk("dev").deliver(event).is_late


def test_the_status_line_tells_what_is_held_and_missing() -> None:
    talk = Talk("dev")
    assert talk.line == "nobody else here · nothing was said yet"
    talk.deliver(delivered(1))
    talk.members.add("bob")
    held = HeldMessage(message_id(3), (message_id(2),), b"because", message_id(2))
    assert talk.hold([held])
    assert not talk.hold([held])
    talk.missing = 1
    talk.state = "catching up"
    assert talk.line == "with bob · 1 held back · 1 missing, asked for · catching up"


def test_a_few_others_are_named_and_many_are_counted() -> None:
    talk = Talk("dev", members={"cat", "bob"})
    assert talk.line.startswith("with bob, cat · ")
    talk.members |= {"dan", "eve"}
    assert talk.line.startswith("with 4 others · ")


def test_a_conversation_that_goes_on_and_on_stays_small() -> None:
    talk = Talk("dev")
    talk.deliver(delivered(1))
    for seq in range(2, 2 * MOST_SPOKEN + 500):
        spoken = talk.deliver(delivered(seq, seq - 1))
        assert talk.place_of(spoken) in {None, *talk.spoken}
    assert talk.is_cut
    assert MOST_SPOKEN <= len(talk.spoken) < 2 * MOST_SPOKEN
    assert talk.deliver(delivered(90_000, 1)).depth == 0, "an answer to what is forgotten"
