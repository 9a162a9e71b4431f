"""Laws of the lines of the tree."""

from __future__ import annotations

from console.chat.talk import Spoken
from console.chat.threads import clock, held_label, message_label
from console.chat.words import GREY
from members.delivering import HeldMessage
from ordering.values import MemberId, MessageId

BOB_1 = MessageId(MemberId("bob#1"), 1)
BOB_2 = MessageId(MemberId("bob#1"), 2)


def test_a_line_has_name_text_and_time() -> None:
    spoken = Spoken(BOB_1, "[b]hi[/b]", 0, None, 0, is_late=True)
    assert message_label(spoken, is_own=False).plain.startswith("bob  [b]hi[/b]  ")
    assert message_label(spoken, is_own=True).plain.endswith("  late")


def test_a_held_line_is_grey_and_says_what_it_waits_for() -> None:
    label = held_label(HeldMessage(BOB_2, (BOB_1,), b"because \xff", BOB_1))
    assert label.plain == "bob  because �  waits for bob:1"
    assert str(label.style) == GREY


def test_a_clock_that_is_no_time_shows_nothing() -> None:
    assert clock(2**62) == ""
    assert len(clock(1_700_000_000_000_000)) == 5
