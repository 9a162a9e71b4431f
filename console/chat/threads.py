"""The middle of the chat: the ordering tree of one group, with what is held back below it."""

from __future__ import annotations

from datetime import datetime

from rich.text import Text
from textual.widgets import Tree
from textual.widgets.tree import TreeNode

from console.chat.talk import MOST_LEVELS, Spoken, Talk
from console.chat.words import GREY, colour_of, id_shown, name_shown, requirement_shown, shown
from members.delivering import HeldMessage
from ordering.values import MessageId

MICROSECONDS_PER_SECOND = 1_000_000
LINE_CHARACTERS = 200
"""Of a message in the tree; all of it stands in the panel below."""


class Threads(Tree[MessageId | None]):
    """The conversation that is on the screen."""

    # Only what is folded needs a mark; so names stand below each other.
    ICON_NODE = "▸ "
    ICON_NODE_EXPANDED = ""

    def __init__(self, *, identifier: str, own_name: str) -> None:
        super().__init__("", id=identifier)
        self.show_root = False
        self.auto_expand = False
        self.guide_depth = 3
        self.border_title = "no group yet"
        self._own_name = own_name
        self._by_id: dict[MessageId, TreeNode[MessageId | None]] = {}
        self._maybe_held: TreeNode[MessageId | None] | None = None

    def show(self, talk: Talk) -> None:
        """Show another conversation, from its beginning."""
        self.clear()
        self._by_id.clear()
        self._maybe_held = None
        for spoken in talk.spoken.values():
            self._add(talk, spoken)
        talk.is_cut = False
        self.show_held(talk)
        self.call_after_refresh(self.scroll_end, animate=False)

    def add_spoken(self, talk: Talk, spoken: Spoken) -> None:
        """Show one more message, and move to it if nobody is looking elsewhere."""
        if talk.is_cut:
            self.show(talk)
            return
        is_following = not self.has_focus
        node = self._add(talk, spoken)
        if is_following:
            self.call_after_refresh(self._follow, node)

    def point_somewhere(self) -> None:
        """Point to the newest message, if the cursor stands nowhere: Enter shall find something."""
        is_nowhere = self.cursor_node is None or self.cursor_node.data is None
        if self._by_id and self.last_line >= 0 and is_nowhere:
            self.move_cursor(next(reversed(self._by_id.values())))

    def _follow(self, node: TreeNode[MessageId | None]) -> None:
        self.move_cursor(node)
        self.scroll_to_node(node, animate=False)

    def _add(self, talk: Talk, spoken: Spoken) -> TreeNode[MessageId | None]:
        maybe_place = talk.place_of(spoken)
        maybe_parent = None if maybe_place is None else self._by_id.get(maybe_place)
        label = self._label(spoken)
        if maybe_parent is None:
            node = self.root.add(label, data=spoken.id, allow_expand=False, before=self._maybe_held)
        else:
            maybe_parent.allow_expand = True
            node = maybe_parent.add(label, data=spoken.id, allow_expand=False)
            maybe_parent.expand()
        self._by_id[spoken.id] = node
        return node

    def _label(self, spoken: Spoken) -> Text:
        label = message_label(spoken, is_own=name_shown(spoken.id.sender) == self._own_name)
        if spoken.depth > MOST_LEVELS and spoken.maybe_parent is not None:
            label = Text.assemble((f"↑ {id_shown(spoken.maybe_parent)} ", "dim"), label)
        return label

    def show_held(self, talk: Talk) -> None:
        """Show what is held back, in grey, with what each message waits for."""
        if self._maybe_held is not None:
            self._maybe_held.remove()
            self._maybe_held = None
        if not talk.held:
            return
        self._maybe_held = self.root.add(
            Text(f"held back ({len(talk.held)})", GREY), data=None, expand=True
        )
        for held in talk.held:
            self._maybe_held.add_leaf(held_label(held), data=None)


def message_label(spoken: Spoken, *, is_own: bool) -> Text:
    """One delivered message in one line."""
    label = Text(no_wrap=True, overflow="ellipsis")
    label.append(name_shown(spoken.id.sender), f"bold {colour_of(spoken.id.sender)}")
    label.append("  ")
    label.append(shown(spoken.text, most=LINE_CHARACTERS), "" if not is_own else "italic")
    label.append(f"  {clock(spoken.sent_at)}", GREY)
    if spoken.is_late:
        label.append("  late", "yellow")
    return label


def held_label(held: HeldMessage) -> Text:
    """One held message in one line, all grey."""
    text = shown(held.payload.decode("utf-8", "replace"), most=LINE_CHARACTERS)
    label = Text(no_wrap=True, overflow="ellipsis", style=GREY)
    label.append(f"{name_shown(held.id.sender)}  {text}")
    label.append(f"  waits for {requirement_shown(held.waiting_for)}", "italic")
    return label


def clock(sent_at: int) -> str:
    """The sender's clock as hours and minutes here; nothing if it is no time of day."""
    try:
        return datetime.fromtimestamp(sent_at // MICROSECONDS_PER_SECOND).strftime("%H:%M")
    except (OverflowError, ValueError, OSError):
        return ""
