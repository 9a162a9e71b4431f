"""The Sb paper's own algorithm, as it is written there: linear scans of the lists and the table.

- The ordering lists: for each member, its runs `[low, high]` in ascending order, searched from the
  front.
- The table of messages that are out of sequence: rows of message and parent, or None when empty. A
  message takes the first empty row; a row is found by its parent, from the top.

On receiving a message:

1. Is its parent the root, or in the ordering lists? If not, put it into the table.
2. Else put its id into the ordering lists, deliver it, and look through the table for a row whose
   parent it is; with each such row go on in the same way, depth first.

The paper recurses; a list of the ids still to look for does the same without the depth limit. The
paper knows no duplicates, bounds, give-up or positions, and none are added here.
"""

from __future__ import annotations

from collections.abc import Iterable

from ordering.values import Message, MessageId


class NaiveOrder:
    """One group, ordered by the paper's algorithm."""

    def __init__(self) -> None:
        self._lists: dict[str, list[list[int]]] = {}
        self._table: list[Message | None] = []

    def receive_all(self, messages: Iterable[Message]) -> list[Message]:
        """Take messages in their order of arrival; give those that can be delivered."""
        delivered: list[Message] = []
        for message in messages:
            parents = message.parents
            if parents and not self._is_present(parents[0]):
                self._insert_in_table(message)
            else:
                self._insert_in_list(message.id)
                delivered.append(message)
                self._deliver_below(message.id, delivered)
        return delivered

    def _is_present(self, message_id: MessageId) -> bool:
        seq = message_id.seq
        for low, high in self._lists.get(message_id.sender, ()):
            if seq < low:
                return False
            if seq <= high:
                return True
        return False

    def _insert_in_list(self, message_id: MessageId) -> None:
        """Lengthen a run, join two, or put a run of one in between.

        insert 4:  [1 3] [6 8]  ->  [1 4] [6 8]
        insert 5:  [1 4] [6 8]  ->  [1 8]
        """
        seq = message_id.seq
        runs = self._lists.setdefault(message_id.sender, [])
        at = 0
        while at < len(runs) and runs[at][0] <= seq:
            at += 1
        touches_left = at > 0 and runs[at - 1][1] == seq - 1
        touches_right = at < len(runs) and runs[at][0] == seq + 1
        if touches_left and touches_right:
            runs[at - 1][1] = runs[at][1]
            del runs[at]
        elif touches_left:
            runs[at - 1][1] = seq
        elif touches_right:
            runs[at][0] = seq
        else:
            runs.insert(at, [seq, seq])

    def _insert_in_table(self, message: Message) -> None:
        for at, row in enumerate(self._table):
            if row is None:
                self._table[at] = message
                return
        self._table.append(message)

    def _row_of(self, parent: MessageId) -> int | None:
        for at, row in enumerate(self._table):
            if row is not None and row.parents[0] == parent:
                return at
        return None

    def _deliver_below(self, message_id: MessageId, delivered: list[Message]) -> None:
        path = [message_id]
        while path:
            maybe_at = self._row_of(path[-1])
            if maybe_at is None:
                path.pop()
                continue
            message = self._table[maybe_at]
            assert message is not None
            self._table[maybe_at] = None
            self._insert_in_list(message.id)
            delivered.append(message)
            path.append(message.id)
