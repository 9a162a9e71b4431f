"""Laws of the list of groups."""

from __future__ import annotations

from console.chat.groups import Groups, group_label
from console.chat.talk import Talk


def test_a_line_tells_whether_it_is_joined_and_how_much_is_unread() -> None:
    joined = Talk("dev", "those who build", is_joined=True, unread=3)
    assert group_label(joined, is_current=True).plain == "● dev  3 new\n  those who build"
    assert group_label(Talk("floor"), is_current=False).plain == "○ floor  Enter joins"


def test_names_are_shown_as_they_are() -> None:
    label = group_label(Talk("[red]\x1bx", is_joined=True), is_current=False)
    assert label.plain == "● [red]�x"


def test_no_group_stands_where_no_line_is() -> None:
    groups = Groups(identifier="groups")
    assert groups.name_at(0) is None
    assert groups.name_at(-1) is None
