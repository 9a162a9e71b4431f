"""The conversation as it grows: deliveries in, lines of a tree out.

    alice  who has the key?
    ├─ bob  I do
    │  └─ alice  thanks
    └─ carol  not me

Deliveries come parent first, so a node always finds its parent here. Threads (the trees below the
root) are listed with the one that moved last at the bottom, where people look.
"""

from __future__ import annotations

from typing import NamedTuple

BRANCH, LAST_BRANCH, PASSING, EMPTY = "├─ ", "└─ ", "│  ", "   "
# Of a very deep thread only the last branches are drawn, after a mark: no terminal is wider.
MAXIMUM_DRAWING = 20 * len(BRANCH)
CUT_MARK = "⋯"


class Line(NamedTuple):
    """One line of the tree: the drawn part, who, what, and the position in the group."""

    drawing: str
    sender: str
    text: str
    position: int


class Node:
    """One message of the tree. A thread's first node also knows when the thread moved last."""

    __slots__ = ("children", "depth", "last_position", "position", "sender", "text", "thread")

    def __init__(self, sender: str, text: str, position: int, maybe_parent: Node | None) -> None:
        self.sender = sender
        self.text = text
        self.position = position
        self.last_position = position
        self.depth: int = 0 if maybe_parent is None else maybe_parent.depth + 1
        self.thread: Node = self if maybe_parent is None else maybe_parent.thread
        self.children: list[Node] = []


class Conversation:
    """All threads of one group."""

    def __init__(self) -> None:
        self._threads: list[Node] = []
        self._nodes: dict[str, Node] = {}

    def __len__(self) -> int:
        return len(self._nodes)

    def deliver(
        self, message_id: str, *, parent: str | None, sender: str, text: str, position: int
    ) -> int:
        """Add one delivery; gives its depth (0 for the start of a thread)."""
        maybe_parent = None if parent is None else self._nodes.get(parent)
        node = Node(sender, text, position, maybe_parent)
        siblings = self._threads if maybe_parent is None else maybe_parent.children
        siblings.append(node)
        node.thread.last_position = position
        self._nodes[message_id] = node
        return node.depth

    def lines(self, *, at_most: int) -> list[Line]:
        """The last lines of the tree, with the thread that moved last at the bottom."""
        lines: list[Line] = []
        for thread in sorted(self._threads, key=lambda node: -node.last_position):
            lines = _thread_lines(thread) + lines
            if len(lines) >= at_most:
                break
        return lines[-at_most:]


def _thread_lines(thread: Node) -> list[Line]:
    lines: list[Line] = []
    stack: list[tuple[Node, str, str]] = [(thread, "", "")]
    while stack:
        node, drawing, below = stack.pop()
        if len(below) > MAXIMUM_DRAWING:
            below = CUT_MARK + below[1 - MAXIMUM_DRAWING :]
        lines.append(Line(drawing, node.sender, node.text, node.position))
        last = len(node.children) - 1
        for index in range(last, -1, -1):
            branch, passing = (LAST_BRANCH, EMPTY) if index == last else (BRANCH, PASSING)
            stack.append((node.children[index], below + branch, below + passing))

    return lines
