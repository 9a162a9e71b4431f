"""What a person sees while the demo runs: the tree as it grows, and a line of counters.

On a terminal the tree is drawn again in place; elsewhere each delivery is printed as a line of its
own, so that a log of the demo reads well too.
"""

from __future__ import annotations

import shutil
import time
from typing import NamedTuple

from console.demo.tree import Conversation, Line
from console.terminal import CLEAR_LINE, Colour, Terminal, coloured, printable
from sinks.records import Counters

# Lines of the tree that are kept on the screen, and of the screen that are left to other things.
MAXIMUM_TREE_LINES = 30
LINES_BELOW_TREE = 4
# A line is bright for this long after its delivery.
BRIGHT_SECONDS = 1.0
PLAIN_INDENT = "  "
MAXIMUM_PLAIN_DEPTH = 12


class Delivery(NamedTuple):
    """One delivered message, as the view shows it."""

    message_id: str
    parent: str | None
    sender: str
    text: str
    position: int


def counters_line(counters: list[Counters]) -> str:
    """The sums over all partitions, in the order in which a message meets them."""
    names = ("captured", "delivered", "held", "duplicates", "quarantined")
    return "  ".join(f"{name} {sum(getattr(c, name) for c in counters)}" for name in names)


class View:
    """Draws the conversation; `update` is called several times a second."""

    def __init__(self, terminal: Terminal, *, beside: int = 0) -> None:
        """`beside` are delivered messages that are counted and not shown."""
        self._terminal = terminal
        self._beside = beside
        self._conversation = Conversation()
        self._counters: dict[int, Counters] = {}
        self._delivered_at: dict[int, float] = {}
        self._drawn_lines = 0

    @property
    def delivered(self) -> int:
        """How many messages the view has been given."""
        return len(self._conversation)

    @property
    def is_counted(self) -> bool:
        """Do the counters tell of everything that was delivered? They come a moment later."""
        counted = sum(one.delivered for one in self._counters.values())
        return counted >= len(self._conversation) + self._beside

    def count(self, counters: Counters) -> None:
        """Take the job's newest word on one partition."""
        self._counters[counters.partition] = counters

    def deliver(self, delivery: Delivery) -> None:
        """Take one delivery; on a plain stream it is printed at once."""
        depth = self._conversation.deliver(
            delivery.message_id,
            parent=delivery.parent,
            sender=delivery.sender,
            text=delivery.text,
            position=delivery.position,
        )
        self._delivered_at[delivery.position] = time.monotonic()
        if not self._terminal.is_progress_live:
            indent = PLAIN_INDENT * min(depth, MAXIMUM_PLAIN_DEPTH)
            text = printable(delivery.text)
            self._terminal.say(f"{delivery.position:>5}  {indent}{delivery.sender}: {text}")

    def update(self) -> None:
        """Draw the tree again, in place."""
        if not self._terminal.is_progress_live:
            return
        width, height = shutil.get_terminal_size()
        at_most = max(1, min(MAXIMUM_TREE_LINES, height - LINES_BELOW_TREE))
        now = time.monotonic()
        drawn = [
            self._draw(line, width=width, now=now)
            for line in self._conversation.lines(at_most=at_most)
        ]
        drawn += ["", counters_line(list(self._counters.values()))[: width - 1]]
        self._erase()
        self._terminal.progress.write("\n".join(drawn) + "\n")
        self._terminal.progress.flush()
        self._drawn_lines = len(drawn)

    def finish(self) -> None:
        """Leave the last picture standing and end with the counters."""
        self.update()
        if not self._terminal.is_progress_live:
            self._terminal.say(counters_line(list(self._counters.values())))

    def _erase(self) -> None:
        self._terminal.progress.write(f"\x1b[1A{CLEAR_LINE}" * self._drawn_lines)

    def _draw(self, line: Line, *, width: int, now: float) -> str:
        sender = printable(line.sender)
        room = max(0, width - len(line.drawing) - len(sender) - 3)
        text = printable(line.text)
        text = text if len(text) <= room else text[: max(0, room - 1)] + "…"
        if not self._terminal.is_progress_coloured:
            return f"{line.drawing}{sender}  {text}"
        is_new = now - self._delivered_at.get(line.position, 0.0) < BRIGHT_SECONDS
        text = coloured(text, Colour.GOOD) if is_new else text
        return f"{coloured(line.drawing, Colour.QUIET)}{coloured(sender, Colour.STRONG)}  {text}"
