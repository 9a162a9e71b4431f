"""The left of the chat: the groups that are joined, and those that others were heard to have."""

from __future__ import annotations

from collections.abc import Iterable

from rich.text import Text
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from console.chat.talk import Talk
from console.chat.words import GREY, shown

NAME_CHARACTERS = 40


class Groups(OptionList):
    """A line or two for each group."""

    def __init__(self, *, identifier: str) -> None:
        super().__init__(id=identifier)
        self.border_title = "groups"
        self._names: list[str] = []

    def show(self, talks: Iterable[Talk], *, maybe_current: str | None) -> None:
        """Show all groups anew: joined ones first, each part in the order of names."""
        ordered = sorted(talks, key=lambda talk: (not talk.is_joined, talk.group))
        highlighted = self.highlighted
        maybe_highlighted = None if highlighted is None else self.name_at(highlighted)
        self._names = [talk.group for talk in ordered]
        self.set_options(
            Option(group_label(talk, is_current=talk.group == maybe_current)) for talk in ordered
        )
        for name in (maybe_highlighted, maybe_current):
            if name in self._names:
                self.highlighted = self._names.index(name)
                break

    def name_at(self, place: int) -> str | None:
        """Which group stands at a line of the list."""
        return self._names[place] if 0 <= place < len(self._names) else None


def group_label(talk: Talk, *, is_current: bool) -> Text:
    """One group: ● joined, ○ not; how much is unread; what it is for."""
    label = Text(no_wrap=True, overflow="ellipsis")
    label.append("● " if talk.is_joined else "○ ", "green" if talk.is_joined else GREY)
    label.append(shown(talk.group, most=NAME_CHARACTERS), "bold" if is_current else "")
    if talk.unread:
        label.append(f"  {talk.unread} new", "bold yellow")
    elif not talk.is_joined:
        label.append("  Enter joins", GREY)
    if talk.description:
        label.append(f"\n  {talk.description}", GREY)
    return label
