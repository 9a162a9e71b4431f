"""The tree that the demo draws."""

from __future__ import annotations

from console.demo.tree import Conversation


def conversation() -> Conversation:
    talk = Conversation()
    for position, (message_id, parent, sender) in enumerate(
        [
            ("a:1", None, "alice"),
            ("x:1", None, "xavier"),
            ("b:1", "a:1", "bob"),
            ("a:2", "b:1", "alice"),
            ("c:1", "a:1", "carol"),
        ],
        start=1,
    ):
        talk.deliver(message_id, parent=parent, sender=sender, text="...", position=position)
    return talk


def test_answers_stand_under_what_they_answer() -> None:
    drawn = [line.drawing + line.sender for line in conversation().lines(at_most=10)]
    assert drawn == ["xavier", "alice", "├─ bob", "│  └─ alice", "└─ carol"]


def test_the_thread_that_moved_last_is_at_the_bottom_and_is_never_cut_off() -> None:
    talk = conversation()
    assert [line.sender for line in talk.lines(at_most=2)] == ["alice", "carol"]
    talk.deliver("y:1", parent="x:1", sender="yves", text="", position=6)
    assert talk.lines(at_most=1)[0].sender == "yves"


def test_a_depth_of_many_thousands_is_no_recursion() -> None:
    talk = Conversation()
    maybe_parent = None
    for number in range(20_000):
        depth = talk.deliver(
            f"a:{number}", parent=maybe_parent, sender="a", text="", position=number
        )
        assert depth == number
        maybe_parent = f"a:{number}"
    drawn = talk.lines(at_most=5)
    assert [line.drawing[0] for line in drawn] == ["⋯"] * 5
    assert len({len(line.drawing) for line in drawn}) == 1


def test_an_answer_to_what_was_never_delivered_starts_a_thread() -> None:
    talk = Conversation()
    assert talk.deliver("b:1", parent="a:1", sender="b", text="", position=1) == 0
    assert len(talk) == 1
